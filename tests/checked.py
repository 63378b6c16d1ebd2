"""States whose arrays refuse what compiled code does not check: indices beyond either end."""

import numpy as np


class LeftItsArrayError(Exception):
    """An index beyond the end of an array, or before its start."""


class EndlessError(Exception):
    """More accesses than any step needs."""


class Checked(np.ndarray):
    """An array that counts accesses, and refuses indices outside of it, negative ones included."""

    left = 0  # accesses, for all arrays

    def __getitem__(self, place):
        self._check(place)
        return super().__getitem__(place)

    def __setitem__(self, place, value):
        self._check(place)
        super().__setitem__(place, value)

    def _check(self, place):
        Checked.left -= 1
        if Checked.left < 0:
            raise EndlessError
        places = place if isinstance(place, tuple) else (place,)
        for index, length in zip(places, self.shape, strict=False):
            if isinstance(index, int | np.integer) and not 0 <= index < length:
                raise LeftItsArrayError(f"{index} of {length}")


def checked(state):
    """The same state, of checked arrays."""
    return type(state)(*(checked(x) if isinstance(x, tuple) else x.view(Checked) for x in state))
