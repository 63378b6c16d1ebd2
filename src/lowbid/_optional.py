"""Imports of packages that only some features need."""

from __future__ import annotations

import contextlib
import re
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
        raise MissingPackageError(installable(message)) from error


def installable(message: str) -> str:
    """A message with the command for a clone beside that for a release.

    >>> installable("figures need matplotlib: pip install 'lowbid[report]'")
    "figures need matplotlib: pip install 'lowbid[report]' (in a clone: pip install '.[report]')"
    """
    return re.sub(
        r"pip install 'lowbid(\[[\w,]+\])'", r"\g<0> (in a clone: pip install '.\1')", message
    )
