from lowbid._compile import _native
from lowbid._compile._kernel import kernel
from lowbid._compile._waiting import compiler_at_work, on_behalf_of, waiting


@kernel
def unheard_of(x):
    return x + 1.0


def test_names_are_there_while_the_compiler_is():
    with on_behalf_of("RBSDA"), compiler_at_work():
        assert waiting() == ["RBSDA"]
        with on_behalf_of("UCB1"), compiler_at_work():
            assert waiting() == ["RBSDA", "UCB1"]
    assert waiting() == []


def test_a_kernel_that_is_compiled_says_for_whom(monkeypatch, tmp_path):
    seen, object_of = [], _native.object_of

    def watched(text):
        seen.append(waiting())
        return object_of(text)

    monkeypatch.setattr(_native, "object_of", watched)
    monkeypatch.setenv("LOWBID_CACHE_DIR", str(tmp_path))
    with on_behalf_of("a policy"):
        unheard_of(1.0)
    assert seen == [["a policy"]]
    assert waiting() == []
