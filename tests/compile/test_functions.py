import pytest

from lowbid._compile._functions import fingerprint, rebind


def test_a_kernel_is_made_of_a_function():
    with pytest.raises(TypeError, match="plain function"):
        rebind(len, {})


def made(body):
    names = {}
    exec(f"def f(x):\n    {body}", names)
    return names["f"]


@pytest.mark.parametrize("body", ['"""Half."""; return x / 2', '"""A half."""; return x / 2'])
def test_a_docstring_is_no_part_of_a_fingerprint(body):
    assert fingerprint(made(body)) == fingerprint(made("return x / 2"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('return "Half."', 'return "A half."'),
        ('"""Half."""; return x / 2', '"""Half."""; return x / 3'),
        ('"""Half."""; return "Half."', '"""Half."""; return None'),
        ("return x / 2", "return x * 2"),
    ],
)
def test_everything_else_is(one, other):
    assert fingerprint(made(one)) != fingerprint(made(other))
