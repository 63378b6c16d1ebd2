from lowbid import mdp
from lowbid.experiments.mdp import CONTENDERS, quick_contenders
from lowbid.experiments.mdp._contenders import OURS, RIVALS


def test_every_rule_takes_part():
    played = {type(each.rule).__name__ for each in CONTENDERS.values()}
    assert played == set(mdp.agents.__all__)


def test_names_stand_for_different_rules():
    identities = [each.rule.identity for each in CONTENDERS.values()]
    assert len(set(identities)) == len(identities)


def test_rivals_have_several_constants_and_most_a_published_one():
    for family in RIVALS:
        rules = [each for each in CONTENDERS.values() if each.family == family]
        assert len(rules) >= 3, family
        # The constants of these two have not been checked against their analysis.
        assert any(each.published for each in rules) or family in ("EQO", "LSVI-PHE")


def test_the_quick_form_has_all_readings_and_every_rival():
    quick = quick_contenders()
    assert {each.family for each in quick.values()} == {OURS, *RIVALS}
    readings = {getattr(each.rule, "reading", None) for each in quick.values()}
    assert readings >= {"pairs", "global", "states", "episodes"}
    assert all(CONTENDERS[name] == each for name, each in quick.items())
