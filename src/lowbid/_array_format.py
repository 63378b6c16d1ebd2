"""Files of arrays and a JSON header, in one zip, as NumPy reads and writes them (``.npz``).

They are not compressed: that would halve their size, but make saving many times slower. So a file
that is compressed was written by something else, and a small one cannot ask for more memory than
its size.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lowbid._replace_file import replace_file
from lowbid._version import __version__
from lowbid.errors import FileFormatError

Array = npt.NDArray[Any]


class ArrayFormat(NamedTuple):
    """A kind of file.

    Attributes
    ----------
    name : str
        Its name, written into each file.
    newest : int
        The newest version of the format that can be read, and the one that is written.
    noun, remedy : str
        For errors: what such a file is, and what to do about a damaged one.
    """

    name: str
    newest: int
    noun: str
    remedy: str

    def write(
        self,
        path: Path,
        header: Mapping[str, Any],
        arrays: Mapping[str, Array],
        *,
        durable: bool = False,
    ) -> None:
        """Write a file atomically: whatever happens, `path` is the old file or the new one."""
        text = json.dumps({"format": self.name, "format_version": self.newest, **header})
        with replace_file(path, durable=durable) as file:
            np.savez(file, allow_pickle=False, header=np.array(text), **arrays)

    def read(self, path: Path) -> tuple[dict[str, Any], dict[str, Array]]:
        """The header and the arrays of a file, or an error that says what is wrong with it."""
        try:
            with path.open("rb") as file:
                arrays = _arrays_in(file)
            header = json.loads(str(arrays.pop("header")))
            known, version = header["format"] == self.name, int(header["format_version"])
        except Exception as error:  # damaged bytes can make zip, JSON or NumPy fail in any way
            if isinstance(error, OSError) and not path.is_file():
                raise
            raise self.damaged(path) from error
        if not known:
            raise self.damaged(path)
        if version > self.newest:
            raise FileFormatError(
                f"{path} has format version {version}; this lowbid ({__version__}) reads up to "
                f"{self.newest}. Upgrade lowbid to read it."
            )
        return header, arrays

    def damaged(self, path: Path) -> FileFormatError:
        """The error for a file that cannot be read."""
        return FileFormatError(
            f"{path} is not {self.noun}, or is damaged or cut short; {self.remedy}"
        )


def _arrays_in(file: IO[bytes]) -> dict[str, Array]:
    """All arrays of an open file."""
    size = file.seek(0, io.SEEK_END)
    with zipfile.ZipFile(file) as archive:
        members = archive.infolist()
        stored = all(each.compress_type == zipfile.ZIP_STORED for each in members)
        # Members that share bytes would add up to more.
        if not stored or sum(each.file_size for each in members) > size:
            raise ValueError("the file would take more memory than it has bytes")
        # Each is read to its end, because only then is its checksum compared.
        return {each.filename.removesuffix(".npy"): _array(archive.read(each)) for each in members}


def _array(content: bytes) -> Array:
    """An array that has exactly the bytes that its shape and type need."""
    file = io.BytesIO(content)
    read_header = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }[np.lib.format.read_magic(file)]
    shape, is_fortran, kind = read_header(file)
    flat = np.frombuffer(content, kind, offset=file.tell()).copy()
    if min(shape, default=0) < 0:
        raise ValueError("an array has a negative length")  # which NumPy would compute
    return flat.reshape(shape, order="F" if is_fortran else "C")
