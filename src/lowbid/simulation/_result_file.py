"""Result files: columns and a header in one zip, as NumPy reads and writes them.

They are not compressed: that would halve their size, but make saving many times slower.
"""

from __future__ import annotations

import io
import json
import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lowbid._replace_file import replace_file
from lowbid._version import __version__
from lowbid.errors import FileFormatError, InvalidValueError

_FORMAT = "lowbid-result"
_FORMAT_VERSION = 1


def write_columns(path: Path, header: dict[str, Any], columns: dict[str, npt.NDArray[Any]]) -> None:
    """Write a result file atomically: whatever happens, `path` is the old file or the new one."""
    text = json.dumps({"format": _FORMAT, "format_version": _FORMAT_VERSION, **header})
    with replace_file(path) as file:
        np.savez(file, allow_pickle=False, header=np.array(text), **columns)


def read_columns(
    path: Path, names: tuple[str, ...]
) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Read a result file's header and columns, or say what is wrong with it."""
    try:
        with path.open("rb") as raw, zipfile.ZipFile(raw) as archive:
            header = json.loads(str(_column(archive, "header")))
            columns = {name: _column(archive, name) for name in names}
        if header["format"] != _FORMAT:
            raise damaged(path)
        version = int(header["format_version"])
    except Exception as error:  # damaged bytes can make zip, zlib, JSON or NumPy fail in any way
        if isinstance(error, OSError) and not path.is_file():
            raise
        raise damaged(path) from error
    if version > _FORMAT_VERSION:
        raise FileFormatError(
            f"{path} has format version {version}; this lowbid ({__version__}) reads up to "
            f"{_FORMAT_VERSION}. Upgrade lowbid to read it."
        )
    return header, columns


def read_path(path: Any) -> Path:
    """The path of a file, or a clear error."""
    if not isinstance(path, str | os.PathLike) or not str(path):
        raise InvalidValueError(f"path is {path!r}; give the name of a file.")
    return Path(path)


def _column(archive: zipfile.ZipFile, name: str) -> npt.NDArray[Any]:
    """One column, read to its end, because only then is its checksum compared."""
    content = io.BytesIO(archive.read(f"{name}.npy"))
    return np.lib.format.read_array(content, allow_pickle=False)


def damaged(path: Path) -> FileFormatError:
    """The error for a file that cannot be read."""
    return FileFormatError(
        f"{path} is not a result file of lowbid, or is damaged or cut short; run the simulation "
        "again, or restore the file."
    )
