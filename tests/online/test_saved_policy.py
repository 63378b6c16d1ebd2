"""Policies in and out: parameters are kept, code is not."""

import functools
import json
from dataclasses import dataclass
from typing import ClassVar

import pytest

import lowbid
from lowbid import Bandit, BatchEnsemble
from lowbid.errors import FileFormatError, InvalidValueError
from lowbid.online import _saved
from online_play import ENSEMBLE, go_on, used


@pytest.mark.parametrize("growth", ["append", "redistribute"])
def test_a_function_as_schedule_is_given_again(growth):
    policy = BatchEnsemble(batches=lambda step: 1 + step // 500, growth=growth)
    bandit = used(policy)
    text = bandit.to_json()
    with pytest.raises(FileFormatError, match="policy="):
        Bandit.from_json(text)
    with pytest.raises(InvalidValueError, match="was saved"):
        Bandit.from_json(text, policy=lowbid.UCB1())
    assert go_on(Bandit.from_json(text, policy=policy)) == go_on(bandit)


class EveryHundred:
    def __call__(self, step):
        return 1 + step // 100


def every(steps, step):
    return 1 + step // steps


@pytest.mark.parametrize("make", [EveryHundred, lambda: functools.partial(every, 100)])
def test_a_schedule_has_the_same_name_in_every_process(make):
    text = used(BatchEnsemble(batches=make())).to_json()
    again = BatchEnsemble(batches=make())  # elsewhere in memory, as in another process
    assert Bandit.from_json(text, policy=again).to_json() == text


def test_a_policy_of_ones_own_is_given_again():
    class Mine(lowbid.UCB1):
        pass

    text = used(Mine()).to_json()
    with pytest.raises(FileFormatError, match="policy="):
        Bandit.from_json(text)
    assert Bandit.from_json(text, policy=Mine()).to_json() == text


@dataclass(frozen=True)
class Foreign(lowbid.UCB1):
    """A policy that is not one of lowbid's, in a module that can be imported."""

    made: ClassVar[list] = []

    def __post_init__(self):
        Foreign.made.append(self)


@pytest.mark.parametrize("name", ["subprocess:Popen", f"{__name__}:Foreign"])
def test_a_text_cannot_make_objects_of_other_libraries(name):
    body = json.loads(used(ENSEMBLE, steps=5).to_json())
    del body["checksum"]
    body["policy"] |= {"class": name, "parameters": {}}
    text = json.dumps({**body, "checksum": _saved._checksum(body)})
    with pytest.raises(FileFormatError, match="is not a part of lowbid"):
        Bandit.from_json(text)
    assert Foreign.made == []
