from hypothesis import settings

# The first example of a test may have to wait for the compiler.
settings.register_profile("lowbid", deadline=None)
settings.load_profile("lowbid")
