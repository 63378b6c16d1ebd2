"""Name a part of the test files, chosen by a seed, and those that are always in it.

    python tests/sample.py [--share 0.2] [--seed 1]

The whole quick suite has run on the source; the built wheel is tested for what packaging can
break. For that a part of the files is enough, and another seed takes another part.
"""

import argparse
import random
from pathlib import Path

TESTS = Path(__file__).resolve().parent
ALWAYS = (TESTS / "test_package.py",)


def sample(share: float, seed: int) -> list[Path]:
    """The test files, of which a share is chosen by the seed, in the order of their names."""
    others = sorted(set(TESTS.rglob("test_*.py")) - set(ALWAYS))
    chosen = random.Random(seed).sample(others, round(share * len(others)))
    return sorted([*ALWAYS, *chosen])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--share", type=float, default=0.2)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    for path in sample(given.share, given.seed):
        print(path.relative_to(TESTS.parent).as_posix())


if __name__ == "__main__":
    main()
