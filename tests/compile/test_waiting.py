import numpy as np

from lowbid._compile._kernel import kernel
from lowbid._compile._waiting import compiler_at_work, on_behalf_of, waiting


def test_names_are_there_while_the_compiler_is():
    with on_behalf_of("RBSDA"), compiler_at_work():
        assert waiting() == ["RBSDA"]
        with on_behalf_of("UCB1"), compiler_at_work():
            assert waiting() == ["RBSDA", "UCB1"]
    assert waiting() == []


def test_a_kernel_that_is_compiled_says_for_whom(monkeypatch):
    from lowbid._compile import _compiler

    seen = []
    build = _compiler.Whole.finalize

    def watched(self):
        seen.append(waiting())
        build(self)

    monkeypatch.setattr(_compiler.Whole, "finalize", watched)

    random_number = np.random.default_rng().random()  # so that it is not on disk

    @kernel
    def unheard_of(x):
        return x + random_number

    with on_behalf_of("a policy"):
        unheard_of(1.0)
    assert seen == [["a policy"]]
    assert waiting() == []
