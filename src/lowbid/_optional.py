"""Imports of packages that only some features need."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from lowbid.errors import MissingPackageError


@contextlib.contextmanager
def needing(packages: str, message: str) -> Iterator[None]:
    """Import packages, given by their names, in this block; if one is not installed, say so.

    Any other error passes as it is: a package that is there but cannot be imported, for example
    because Ctrl-C interrupted its first import, is not installed by installing it again.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name not in packages.split():
            raise
        raise MissingPackageError(message) from error
