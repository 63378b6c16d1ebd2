"""Other libraries: their policies and environments in lowbid, and lowbid's in theirs.

Each module needs its library and is imported when you ask for it, as in
``from lowbid.adapters.river import FromRiver``.
"""
