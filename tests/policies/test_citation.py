import dataclasses
import re

import pytest

import lowbid
from lowbid import contextual, mdp, policies
from lowbid.errors import InvalidValueError
from lowbid.policies._citation import _known, entries_of, reference
from lowbid.policies._wrapper import Wrapper

CLASSES = [getattr(room, name) for room in (policies, contextual) for name in room.__all__]


def keys(text):
    return re.findall(r"^@\w+{(\w+),", text, re.MULTILINE)


def test_objects_classes_and_lists_of_them():
    assert keys(lowbid.citation(lowbid.UCB1)) == ["auer2002finite"]
    both = lowbid.citation([lowbid.UCB1(), lowbid.UCBV])
    assert keys(both) == ["auer2002finite", "audibert2009exploration"]
    assert both == lowbid.citation(lowbid.UCB1(), lowbid.UCBV())


def test_each_entry_once():
    assert keys(lowbid.citation(lowbid.UCB1(), lowbid.UCBTuned())) == ["auer2002finite"]


def test_a_variant_has_its_own_entry():
    assert keys(lowbid.citation(lowbid.KLUCB.bernoulli())) == ["cappe2013kullback"]
    policy = lowbid.KLUCB.gaussian_unknown_variance()
    assert keys(lowbid.citation(policy)) == ["cowan2018normal"]


def written(name):
    """A surname as the docstrings have it, without initials."""
    return name.partition(" and others")[0].split(", ")


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_the_reference_is_one_of_the_docstring(cls):
    references = " ".join(cls.__doc__.partition("References\n")[2].split())
    # A wrapper cites what is within it.
    for policy in cls.variants()[: 1 if issubclass(cls, Wrapper) else None]:
        authors, year = reference(policy).rsplit(" ", 1)
        assert f"({year})" in references
        assert all(f" {author}" in references for author in written(authors))


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_every_policy_has_whole_entries(cls):
    text = lowbid.citation(cls)
    assert keys(text)
    assert text.count("{") == text.count("}")
    for policy in cls.variants():
        assert re.fullmatch(r"[^\W\d][^\\{}]* (19|20)\d\d", reference(policy))


def test_every_entry_of_the_file_is_some_rule_s():
    rooms = (
        (policies, policies.__all__),
        (contextual, contextual.__all__),
        (mdp, mdp.agents.__all__),
    )
    rules = [rule for room, names in rooms for n in names for rule in getattr(room, n).variants()]
    assert {entry for rule in rules for entry in entries_of(rule)} == set(_known().values())
    assert list(_known()) == sorted(_known()), "keys in alphabetical order"


def test_a_policy_outside_the_library_brings_its_own_entry():
    class Mine(lowbid.Greedy):
        about = dataclasses.replace(
            lowbid.Greedy.about, cite="@misc{me2026,\n  year = {2026},\n}\n"
        )

    assert lowbid.citation(Mine()) == "@misc{me2026,\n  year = {2026},\n}"


def test_accents_are_shown():
    assert reference(lowbid.MOSS()) == "Audibert, Bubeck 2009"
    assert reference(lowbid.UCBAlpha()) == "Bubeck, Cesa-Bianchi 2012"
    assert reference(lowbid.UCBV()) == "Audibert, Munos, Szepesvári 2009"
    assert reference(lowbid.KLUCB.bernoulli()) == "Cappé and others 2013"


def test_refuses_what_is_no_policy():
    with pytest.raises(InvalidValueError, match="'UCB1' is not a policy"):
        lowbid.citation("UCB1")
