import os

from hypothesis import settings

# The first example of a test may have to wait for the compiler.
settings.register_profile("lowbid", deadline=None)
settings.load_profile("lowbid")

# Bandits run uncompiled unless a test says otherwise: most tests make few decisions, and their
# choices are the same (tests/policies/test_registry.py compares them for all policies).
os.environ.setdefault("LOWBID_COMPILED", "never")
