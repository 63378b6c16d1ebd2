import pytest

from lowbid.cli import commands, main, parser

ALL = [
    [],
    *([name] for name in commands()),
    *([name, action] for name in commands() for action in getattr(commands()[name], "ACTIONS", ())),
]


@pytest.mark.parametrize("words", ALL, ids=" ".join)
@pytest.mark.parametrize("columns", [80, 100])
def test_help_fits_the_terminal(words, columns, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    with pytest.raises(SystemExit) as stopped:
        main([*words, "--help"])
    assert stopped.value.code == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= columns
    assert lines[0].startswith("usage: lowbid")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["reprodce"], "unknown command 'reprodce'; did you mean reproduce?"),
        (["zzz"], "unknown command 'zzz'; choose from compare, init,"),
        (["mdp", "lst"], "unknown command 'lst'; did you mean list?"),
        (["sweep", "--dryrun"], "unknown option --dryrun; did you mean --dry-run?"),
        (["sweep", "--dry_run=3"], "unknown option --dry_run; did you mean --dry-run?"),
        (["mdp", "draw", "--enviroment", "grid"], "did you mean --environment?"),
        (["report", "--zzz", "a"], "unknown option --zzz."),
        (["report", "a", "b"], "unexpected argument 'b'."),
        (["keys", "ad", "--store", "a"], "action is 'ad'; did you mean add?"),
    ],
    ids=lambda part: " ".join(part) if isinstance(part, list) else "",
)
def test_what_was_mistyped_gets_a_suggestion(words, said, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(words)
    assert stopped.value.code == 2
    text = capsys.readouterr().err
    assert said in " ".join(text.split())
    assert max(map(len, text.splitlines())) <= 80
    assert "--help" in text


def test_without_a_command_all_are_listed(capsys):
    assert main([]) == 2
    assert "reproduce" in capsys.readouterr().err


def test_abbreviated_options_are_not_guessed(capsys):
    with pytest.raises(SystemExit):
        parser().parse_args(["sweep", "--dry"])
    assert "did you mean --dry-run?" in capsys.readouterr().err
