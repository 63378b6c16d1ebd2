import pytest

from mutations import generate


def mutants(text):
    """The whole texts with one mistake each."""
    whole = text.encode()
    return {
        (
            whole[: each.start] + each.new.encode() + whole[each.start + len(each.old.encode()) :]
        ).decode()
        for each in generate.changes(whole)
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a + b", {"a - b"}),
        ("(a)//(b)", {"(a)*(b)"}),
        ("a < b <= c", {"a <= b <= c", "a < b < c"}),
        ("a is not b", {"a is b"}),
        ("a and b and c", {"a or b and c", "a and b or c"}),
        ("-a", {"a"}),
        ("not (a)", {" (a)"}),
        ("x = 3", {"x = (4)"}),
        ("x = 0.0", {"x = (1.0)"}),
        ("x = True", {"x = False"}),
        ("x += y", {"x -= y", "pass"}),
        ("x[i] = y", {"pass"}),
        ("f(x)", {"pass"}),
        ("raise E", {"pass"}),
        ("if a:\n    b", {"if (not (a)):\n    b"}),
        ("for i in range(n): i", {"for i in range((n) - 1): i"}),
        ("'é' + b", {"'é' - b"}),  # the tree counts bytes
    ],
)
def test_one_small_change_each(text, expected):
    assert mutants(text) == expected


@pytest.mark.parametrize(
    "text", ["x: Literal[1]", "'a text'", "@f(1)\ndef g(a: h[1]) -> h[2]: a", "x = 'text'"]
)
def test_what_only_describes_stays(text):
    assert mutants(text) == set()


def test_changes_say_their_lines():
    assert [each.line for each in generate.changes(b"a\n\nb + c\n")] == [3]


def test_every_change_of_a_module_is_python():
    with open(generate.__file__, encoding="utf-8") as file:
        texts = mutants(file.read())
    assert len(texts) > 30
    for text in texts:
        compile(text, "mutant", "exec")
