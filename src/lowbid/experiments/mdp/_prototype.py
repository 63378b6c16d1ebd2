"""Figures from an independent prototype: different code and random numbers, the same settings.

Mean regret and standard error over 20 runs, or 30 in river, chain8 and sea10s. The prototype drew
another Garnet, so that column is left out; so are rules with constants that are not played here.
"""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from lowbid.experiments.mdp._contenders import (
    EPISODES,
    GLOBAL,
    PAIRS,
    STATES,
    one_batch,
    reading,
)
from lowbid.experiments.mdp._trials import Trials
from lowbid.simulation import estimate

COLUMNS = (
    "river", "riverB", "chain8", "chain16", "sea10s", "sea20s", "sea10H", "sea20", "grid", "six",
    "bandit2",
)  # fmt: skip
# Mean / standard error; a hyphen where nothing was measured.
_TABLE = {
    one_batch(0.5): "29/0.8 30/1.3 63/36 236/103 115/52 260/87 177/0 80/0.2 636/10 835/132 70/16",
    one_batch(1.0): "43/1.1 43/1.7 62/36 14/2.0 84/37 223/71 345/0 106/0.3 949/7.6 894/147 59/11",
    one_batch(2.0):
        "74/1.7 70/1.3 15/1.3 17/2.9 63/4.8 257/48 656/0 159/0.2 1483/10 957/124 63/8.9",
    reading(PAIRS, 2, 0.5):
        "42/1.1 42/1.6 17/1.5 20/2.6 43/2.7 108/4.5 350/0 159/0.3 982/8.5 832/119 48/9.3",
    reading(PAIRS, 2):
        "70/1.3 69/1.7 20/2.4 25/5.4 53/2.7 167/9.0 663/0 209/0.3 1518/8.2 897/97 42/5.8",
    reading(PAIRS, 2, 2.0):
        "122/1.9 121/2.5 23/0.9 39/5.2 83/9.1 283/10 1185/0 316/0.3 2493/16 1247/34 64/5.3",
    reading(PAIRS, 4):
        "114/2.2 115/3.7 44/3.2 120/25 88/2.4 269/9.8 1199/0 416/0.6 2510/12 1339/34 78/6.7",
    reading(PAIRS, 4, 2.0):
        "209/2.8 217/3.7 38/1.4 123/18 120/2.3 420/5.5 1697/0 629/0.3 4129/17 2312/43 87/3.4",
    reading(GLOBAL, 2):
        "73/1.5 76/1.6 28/2.7 34/8.5 66/3.0 179/4.3 663/0 210/0.4 1542/9.7 903/75 43/7.6",
    reading(GLOBAL, 4):
        "132/2.8 136/2.3 68/7.2 110/21 109/2.3 332/5.6 1199/0 417/0.4 2610/14 1484/80 80/6.3",
    reading(STATES, 2):
        "75/1.1 73/1.5 20/2.0 27/3.6 62/3.3 206/20 663/0 209/0.4 1549/8.1 819/73 49/8.2",
    reading(STATES, 4):
        "126/1.8 131/2.2 51/4.5 150/37 100/2.5 322/9.3 1199/0 417/0.4 2593/16 1434/84 71/4.9",
    reading(EPISODES, 2):
        "90/1.6 86/2.3 29/3.1 39/8.0 67/2.6 194/9.3 664/0.4 223/0.9 1876/9.6 974/81 48/7.2",
    reading(EPISODES, 4):
        "188/3.4 188/3.5 70/5.6 144/26 133/2.4 399/6.1 1217/0.7 503/1.5 3900/26 1549/43 66/3.8",
    "RLSVI, variance 1":
        "173/7.6 145/11 95/6.2 315/19 674/12 1123/1.4 1006/2.8 1989/0.8 1899/27 1397/81 165/1.4",
    "RLSVI, variance 0.1":
        "42/3.6 47/5.5 56/27 120/54 182/40 648/43 162/0.7 824/1.5 604/14 965/136 77/3.6",
    "RLSVI, variance 0.01":
        "29/3.1 33/4.7 37/26 74/56 131/53 315/94 48/1.2 163/1.9 489/16 915/128 39/8.8",
    "UCBVI-CH":
        "6707/0.2 6707/0.3 782/0.2 1139/0.0 1157/0.1 - 1988/0.2 - - 5167/0.4 226/0.4",
    "UCBVI-BF, c = 0.01":
        "148/1.3 148/1.9 23/0.6 138/77 232/69 307/48 954/0 524/1.4 3415/11 1571/78 39/7.7",
    "UCBVI-BF, c = 0.001":
        "23/0.7 21/1.1 6.7/1.3 125/78 290/89 334/100 99/0 125/1.2 639/14 1071/135 121/17",
    "optimistic Q-learning":
        "707/49 689/96 457/68 1133/1.8 650/99 908/82 138/0.2 470/0.2 9499/38 4184/25 120/22",
    "UCB-Q, Hoeffding, c = 0.01":
        "2955/14 2923/8.2 476/51 1009/72 506/99 - 1141/0.3 - - 4823/4.5 127/18",
    "Q-learning, epsilon 0.1":
        "6611/0.1 6661/4.0 785/0.0 1139/0.0 1152/0.2 - 1981/0.0 - - 4919/0.3 74/8.0",
    "batch Q-learning, l = 2":
        "949/5.1 958/5.7 141/31 344/61 172/34 554/30 279/0.2 942/0.2 12499/13 4724/11 155/32",
}  # fmt: skip
# A difference of more standard errors than this is a disagreement: by chance it occurs once in two
# thousand cells.
_TOO_FAR = 3.5
_CELL = re.compile(r"([\d.]+)/([\d.]+)")


class Agreement(NamedTuple):
    """One figure of the prototype beside ours."""

    key: str
    name: str
    ours: float
    our_error: float
    theirs: float
    their_error: float

    @property
    def distance(self) -> float:
        """Our figure minus theirs, in standard errors, with rounding taken into account."""
        digit = 0.1 if self.theirs < 10 else 1.0
        error = math.hypot(self.our_error, self.their_error, digit / math.sqrt(12.0))
        return (self.ours - self.theirs) / error

    @property
    def agrees(self) -> bool:
        """Whether the difference may be due to chance."""
        return abs(self.distance) <= _TOO_FAR


def agreements(outcomes: Trials) -> list[Agreement]:
    """The prototype's figures beside ours, where both exist."""
    found = []
    for name, text in _TABLE.items():
        for key, cell in zip(COLUMNS, text.split(), strict=True):
            measured = _CELL.fullmatch(cell)
            if measured is None or (key, name) not in outcomes:
                continue
            ours = estimate(outcomes[key, name].regret[0, :, -1])
            theirs, error = float(measured[1]), float(measured[2])
            found.append(Agreement(key, name, ours.mean, ours.se, theirs, error))
    return found
