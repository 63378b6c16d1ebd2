"""Write your own compiled policies and environments: the decorators that mark a kernel."""

from lowbid._kernel import allocating_kernel, interpreted, kernel, specialise

__all__ = ["allocating_kernel", "interpreted", "kernel", "specialise"]
