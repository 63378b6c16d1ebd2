"""Files of arrays are refused before they take more memory than their size."""

import io
import json
import struct
import tracemalloc
import zipfile

import numpy as np
import pytest

from lowbid._array_format import ArrayFormat
from lowbid.errors import FileFormatError

FORMAT = ArrayFormat("lowbid-test", 1, "a test file", "write another one.")
HEADER = {"format": "lowbid-test", "format_version": 1}
LITTLE = 8 * 2**20


def npy(shape, kind="<f8", content=b""):
    """The bytes of an array that says of itself what it likes."""
    file = io.BytesIO()
    header = {"shape": shape, "fortran_order": False, "descr": kind}
    np.lib.format.write_array_header_1_0(file, header)
    return file.getvalue() + content


def header_member():
    file = io.BytesIO()
    np.save(file, np.array(json.dumps(HEADER)))
    return file.getvalue()


def write_zip(path, members, compression=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", compression) as archive:
        archive.writestr("header.npy", header_member())
        for name, content in members.items():
            archive.writestr(name, content)


def bomb(path):
    """A few kilobytes that unpack to a gigabyte."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.npy", header_member())
        with archive.open("regret.npy", "w", force_zip64=True) as member:
            member.write(npy((2**27,)))
            for _ in range(128):
                member.write(bytes(2**23))


def shared_bytes(path):
    """A directory with the same member many times."""
    write_zip(path, {"x.npy": npy((2**17,), content=bytes(2**20))})
    whole = path.read_bytes()
    at = whole.rindex(b"PK\5\6")
    first = whole.index(b"PK\1\2")
    entry = whole[whole.index(b"PK\1\2", first + 1) : at]
    entries = [entry.replace(b"x.npy", b"%c.npy" % letter) for letter in range(65, 115)]
    directory = whole[first:at] + b"".join(entries)
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 52, 52, len(directory), first, 0)
    path.write_bytes(whole[:first] + directory + end)


def declared(shape, kind="<f8", content=bytes(80)):
    return lambda path: write_zip(path, {"x.npy": npy(shape, kind, content)})


HOSTILE = {
    "bomb": bomb,
    "shared bytes": shared_bytes,
    "more than there is": declared((2**30,)),
    "less than there is": declared((1,)),
    "a product that overflows": declared((2**32, 2**32)),
    "a negative length": declared((-1,)),
    "elements without a size": declared((2**40,), "|V0"),
    "texts without a size": declared((2**40,), "<U0"),
    "objects": declared((10,), "|O"),
    "not an array": lambda path: write_zip(path, {"x.npy": b"hello"}),
    "nested JSON": lambda path: np.savez(path, header=np.array("[" * 10**5)),
    "a header that is a list": lambda path: np.savez(path, header=np.array("[1, 2]")),
    "a version without an end": lambda path: np.savez(
        path, header=np.array('{"format": "lowbid-test", "format_version": 1e999}')
    ),
}


@pytest.mark.parametrize("make", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_file_is_refused_before_it_takes_memory(make, tmp_path):
    make(tmp_path / "x.npz")
    tracemalloc.start()
    try:
        with pytest.raises(FileFormatError, match=r"is not a test file.*cut short; write another"):
            FORMAT.read(tmp_path / "x.npz")
        taken = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert taken < LITTLE


def test_arrays_come_back(tmp_path):
    arrays = {
        "empty": np.zeros((0, 3)),
        "single": np.array(4),
        "columns": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        "text": np.array(["a", "bcd"]),
    }
    FORMAT.write(tmp_path / "x.npz", {"more": 1}, arrays)
    header, found = FORMAT.read(tmp_path / "x.npz")
    assert header == {**HEADER, "more": 1}
    assert found.keys() == arrays.keys()
    for name, array in arrays.items():
        assert found[name].dtype == array.dtype
        assert found[name].flags.writeable
        assert np.array_equal(found[name], array)
