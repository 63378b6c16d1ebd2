import os
import shutil

import numpy as np
import pytest

import lowbid
from experiments.sweeps.sweep_examples import PlainPolicy, small
from lowbid.experiments.sweeps._store import CellStore, Window

CELL, OTHER = small(PlainPolicy()).cells


def runs_of(number, value=1.0, cell=CELL):
    steps = len(cell.checkpoints)
    regret = value * np.arange(1.0, number * steps + 1).reshape(number, steps)
    return cell.result(regret, np.full((number, 2), cell.horizon // 2))


def saved(folder, number=4):
    CellStore(folder).save(CELL, runs_of(number), 1.5, Window(0, number))
    return CellStore(folder)


def test_what_was_saved_is_there(tmp_path):
    store = saved(tmp_path)
    assert (store.runs(CELL), store.runs(OTHER)) == (4, 0)
    assert store.seconds(CELL) == 1.5
    figures = store.figures(CELL, Window(0, 4))[CELL.horizon]
    assert figures.mean == pytest.approx(runs_of(4).regret[0, :, -1].mean())
    assert figures.runs == 4
    assert np.array_equal(store.result(CELL).regret, runs_of(4).regret)
    assert lowbid.Result.load(store.path(CELL)).provenance["cell"] == CELL.digest


def test_figures_of_fewer_runs_and_of_the_later_ones(tmp_path):
    store = saved(tmp_path)
    regret = runs_of(4).regret[0, :, -1]
    assert store.figures(CELL, Window(0, 2))[20].mean == pytest.approx(regret[:2].mean())
    assert store.figures(CELL, Window(2, 4))[20].mean == pytest.approx(regret[2:].mean())
    assert store.figures(CELL, Window(0, 5)) is None


def test_the_index_spares_reading_the_files(tmp_path, monkeypatch):
    saved(tmp_path)
    monkeypatch.setattr(lowbid.Result, "load", lambda path: pytest.fail("it was read"))
    store = CellStore(tmp_path)
    assert store.runs(CELL) == 4
    assert store.figures(CELL, Window(0, 4))[20].runs == 4


@pytest.mark.parametrize("damage", [b"", b"PK", None, "flip", "other"])
def test_a_damaged_file_is_noticed(tmp_path, damage):
    store = saved(tmp_path)
    path = store.path(CELL)
    content = bytearray(path.read_bytes())
    if damage == "flip":
        content[len(content) // 3] ^= 1
    elif damage == "other":
        store.save(OTHER, runs_of(4, cell=OTHER), 1.0, Window(0, 4))
        content = store.path(OTHER).read_bytes()
    else:
        content = content[:-9] if damage is None else damage
    path.write_bytes(bytes(content))
    again = CellStore(tmp_path)
    assert again.runs(CELL) == 0
    assert again.damaged == [path]
    assert again.figures(CELL, Window(0, 4)) is None


def test_any_bit_of_a_file_counts_even_if_its_size_and_time_stay(tmp_path):
    store = saved(tmp_path)
    path = store.path(CELL)
    content, state = path.read_bytes(), path.stat()
    noticed, looked_at = 0, range(0, len(content), 7)
    for at in looked_at:
        changed = bytearray(content)
        changed[at] ^= 1 << at % 8
        path.write_bytes(bytes(changed))
        os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
        again = CellStore(tmp_path)
        if again.runs(CELL) == 0:  # else a bit without a meaning, such as the time in the zip
            noticed += 1
            assert again.figures(CELL, Window(0, 4)) is None
            assert again.damaged == [path]
        else:
            assert np.array_equal(again.result(CELL).regret, runs_of(4).regret)
    assert noticed > 0.6 * len(looked_at)


def test_any_bit_of_the_index_counts(tmp_path):
    store = saved(tmp_path)
    figures, content = store.figures(CELL, Window(0, 4)), store.index_file.read_bytes()
    for at in range(len(content)):
        changed = bytearray(content)
        changed[at] ^= 1 << at % 8
        store.index_file.write_bytes(bytes(changed))
        assert CellStore(tmp_path).figures(CELL, Window(0, 4)) == figures


def test_a_copied_folder_need_not_be_read_again(tmp_path, monkeypatch):
    saved(tmp_path / "here")
    shutil.copytree(tmp_path / "here", tmp_path / "there", copy_function=shutil.copyfile)
    monkeypatch.setattr(lowbid.Result, "load", lambda path: pytest.fail("it was read"))
    assert CellStore(tmp_path / "there").runs(CELL) == 4


def test_without_an_index_or_with_a_damaged_one_files_are_read(tmp_path):
    store = saved(tmp_path)
    whole = store.index_file.read_bytes()
    for content in (None, whole[:-30], b"\x00\xff{}\n[1]\n3\n", whole + b'{"cell": "cut sho'):
        store.index_file.unlink(missing_ok=True)
        if content is not None:
            store.index_file.write_bytes(content)
        again = CellStore(tmp_path)
        assert again.runs(CELL) == 4
        assert again.figures(CELL, Window(0, 4))[20].runs == 4
    # A line after one that was cut short is read.
    again.save(OTHER, runs_of(3, cell=OTHER), 1.0, Window(0, 3))
    assert OTHER.digest in CellStore(tmp_path)._entries


def test_runs_that_are_not_numbers_are_not_runs(tmp_path):
    store = CellStore(tmp_path)
    store.save(CELL, runs_of(4, float("nan")), 1.0, Window(0, 4))
    store.index_file.unlink()
    assert CellStore(tmp_path).runs(CELL) == 0
