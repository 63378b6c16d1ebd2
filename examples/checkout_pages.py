"""Five checkout pages, a stream of visitors, and orders that come late or never.

Run ``python examples/checkout_pages.py``. A day's log is made up: visitors come by the minute, more
of them in the evening; some order, minutes to hours after they saw a page; orders are worth
different amounts, and some are returned, which costs. Midway a sixth page is added. The state is
saved every hour, and once the process "restarts" from the file.

The outcome of a visit is what was ordered within an hour, and it is reported when that hour is
over. Reporting orders as they come, and "no order" an hour later, would be a mistake: then good
news travels faster than bad, and a page looks the better the less of its bad news has come.
"""

from __future__ import annotations

import math
import random
import tempfile
from collections import deque
from pathlib import Path
from typing import NamedTuple

import lowbid

# The chance of an order, and its mean value in dollars. The shop does not know these.
PAGES = {
    "classic": (0.050, 40.0),
    "one column": (0.055, 42.0),
    "guest first": (0.070, 44.0),
    "with reviews": (0.060, 39.0),
    "big pictures": (0.045, 45.0),
}
NEW_PAGE = ("express pay", (0.085, 43.0))
HOURS = 24
WINDOW = 60.0  # minutes after which the outcome of a visit is reported
RANDOM = random.Random(7)


class Visit(NamedTuple):
    """One line of the log."""

    known_at: float  # minute
    decision: lowbid.Decision
    value: float  # dollars; negative if the order was returned, 0 if there was none


def visitors() -> list[float]:
    """The minutes at which visitors come: about 30,000, most of them in the evening."""
    minutes = []
    minute = 0.0
    while minute < HOURS * 60:
        rate = 21.0 + 17.0 * math.sin((minute / 60 - 13.0) * math.pi / 12.0)
        minute += RANDOM.expovariate(rate)
        minutes.append(minute)
    return minutes


def visit(minute: float, decision: lowbid.Decision, chance: float, mean: float) -> Visit:
    """What comes of showing a page, known an hour later."""
    value = 0.0
    ordered = RANDOM.random() < chance
    if ordered and RANDOM.lognormvariate(math.log(12.0), 1.0) < WINDOW:
        value = mean * RANDOM.lognormvariate(-0.18, 0.6)
    if value > 0.0 and RANDOM.random() < 0.08:
        value = -8.0  # returned
    return Visit(minute + WINDOW, decision, value)


def run(folder: Path) -> tuple[lowbid.Bandit, list[tuple[float, str]], float]:
    """Play the day; give the bandit, the log of pages shown, and the dollars earned."""
    pages = dict(PAGES)
    bandit = lowbid.Bandit(pages, seed=0)
    waiting: deque[Visit] = deque()
    shown: list[tuple[float, str]] = []
    earned, hour = 0.0, 0
    for minute in visitors():
        while waiting and waiting[0].known_at <= minute:
            outcome = waiting.popleft()
            bandit.update(outcome.decision, reward=outcome.value)
            earned += outcome.value
        if minute >= 60 * (hour + 1):
            hour += 1
            bandit.save(folder / "checkout.json")
            if hour == 12:
                bandit.add_arm(NEW_PAGE[0])
                pages[NEW_PAGE[0]] = NEW_PAGE[1]
            if hour == 18:
                bandit = lowbid.Bandit.load(folder / "checkout.json")  # as after a restart
        decision = bandit.decide()
        waiting.append(visit(minute, decision, *pages[str(decision.arm)]))
        shown.append((minute, str(decision.arm)))
    return bandit, shown, earned


def picture(shown: list[tuple[float, str]], pages: list[str]) -> str:
    """Each page's share of the visitors, hour by hour, as a row of shades."""
    shades = " .:-=+*#%@"
    width = max(len(page) for page in pages)
    lines = []
    for page in pages:
        row = ""
        for half_hour in range(2 * HOURS):
            hits = [name for minute, name in shown if minute // 30 == half_hour]
            share = hits.count(page) / max(len(hits), 1)
            row += shades[min(int(share * len(shades)), len(shades) - 1)]
        lines.append(f"{page:>{width}} |{row}|")
    axis = "".join(f"{hour:<6}" for hour in range(0, HOURS, 3))
    lines.append(f"{'hour':>{width}}  {axis}")
    lines.append(f"{'':>{width}}  share of visitors: ' ' below 10%, '@' 90% and more")
    return "\n".join(lines)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        bandit, shown, earned = run(Path(folder))
    print(picture(shown, [str(arm) for arm in bandit.arms]))
    print()
    print(bandit.explain())
    best = bandit.recommend()
    print()
    print(f"visitors: {len(shown)}; {len(bandit.pending())} of them may still order")
    print(f"earned:   {earned:,.0f} dollars, {100 * earned / len(shown):.0f} cents per visitor")
    print(
        f"keep:     {best.arm!r}, at {best.mean:.2f} dollars per visitor "
        f"({best.low:.2f} to {best.high:.2f}); sure: {best.sure}"
    )


if __name__ == "__main__":
    main()
