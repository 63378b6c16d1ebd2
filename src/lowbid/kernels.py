"""Write your own compiled policies and environments: the decorators that mark a kernel."""

from lowbid._compile import allocating_kernel, checked, interpreted, kernel, specialise

__all__ = ["allocating_kernel", "checked", "interpreted", "kernel", "specialise"]
