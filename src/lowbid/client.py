"""A bandit served over HTTP, with the methods of a local one. Standard library only."""

from __future__ import annotations

import http.client
import json
import math
import threading
import time
import urllib.parse
import uuid
import weakref
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, Self, overload

from lowbid._require import invalid
from lowbid.errors import InvalidValueError, ServiceError, UnknownNameError
from lowbid.online import (
    MANY,
    ONE,
    Arm,
    ArmInterval,
    Bandit,
    Decision,
    Difference,
    ExplainedArm,
    Explanation,
    Recommendation,
    read_kind,
    read_list,
)
from lowbid.shared import AMEND, AMEND_MANY, ANSWER, Answer, Lift, LoggedDecision, SharedBandit

_NAN = math.nan
# Seconds between two attempts: doubled each time, up to the longest.
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 2.0
_MOST_AT_ONCE = 10_000  # outcomes in one request


class _Own(threading.local):
    """The connection of each thread, if it has one; closed when the thread is gone."""

    def __init__(self) -> None:
        self.held: list[http.client.HTTPConnection] = []
        weakref.finalize(threading.current_thread(), _close, self.held)


def _close(held: list[http.client.HTTPConnection]) -> None:
    while held:
        held.pop().close()


class Client:
    """A connection to a server started by `lowbid serve`.

    Requests that are safe to repeat are retried if the server or its store cannot be reached:
    decisions carry the id of their request, and an outcome counts once.

    Parameters
    ----------
    url : str
        The server's address, such as ``http://127.0.0.1:8080``.
    key : str, optional
        The key, as `lowbid keys add` printed it.
    timeout : float
        Seconds to wait for an answer.
    retries : int
        How many times to repeat a request that got no answer.

    Examples
    --------
    >>> import lowbid
    >>> client = lowbid.Client("http://127.0.0.1:8080", "lowbid_...")  # doctest: +SKIP
    >>> bandit = client.bandit("checkout")  # doctest: +SKIP
    >>> decision = bandit.decide(unit="customer-17")  # doctest: +SKIP
    >>> bandit.update(decision, reward=1.0)  # doctest: +SKIP
    """

    def __init__(
        self, url: str, key: str | None = None, *, timeout: float = 10.0, retries: int = 4
    ) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise invalid("url", url, "give one such as http://127.0.0.1:8080.")
        self._address, self._secure = parts.netloc.rpartition("@")[2], parts.scheme == "https"
        self._base, self._timeout, self._retries = parts.path.rstrip("/"), timeout, retries
        self._headers = {"Content-Type": "application/json"}
        if key is not None:
            self._headers["Authorization"] = f"Bearer {key.strip()}"
        self._own = _Own()

    def experiments(self) -> list[dict[str, Any]]:
        """The experiments that the key is for, each with its numbers."""
        return list(self.send("GET", "/v1/experiments")["experiments"])

    def make(self, name: str, arms: Iterable[Arm], **settings: Any) -> RemoteBandit:
        """Create an experiment, or open the existing one; settings as for `lowbid.open`.

        A policy is given by its name on the command line, ``"batch-ensemble:batches=12"``.
        """
        body = {"name": name, "arms": list(arms), **settings}
        self.send("POST", "/v1/experiments", body, repeatable=True)
        return RemoteBandit(self, name)

    def bandit(self, name: str) -> RemoteBandit:
        """The bandit of an experiment."""
        return RemoteBandit(self, name)

    def send(self, method: str, path: str, body: Any = None, repeatable: bool = False) -> Any:
        """Send a request and return its answer; errors carry the server's message."""
        answer = self.raw(method, path, body, repeatable or method == "GET")
        return json.loads(answer) if answer else None

    def raw(self, method: str, path: str, body: Any, repeatable: bool) -> bytes:
        """The text of an answer."""
        try:
            sent = None if body is None else json.dumps(body, allow_nan=False).encode()
        except (TypeError, ValueError) as error:
            raise InvalidValueError(f"this cannot be sent as JSON: {error}.") from error
        pause, failure = _FIRST_PAUSE, Exception()
        for attempt in range(1 + self._retries * repeatable):
            if attempt:
                time.sleep(pause)
                pause = min(2.0 * pause, _LONGEST_PAUSE)
            try:
                status, answer = self._once(method, path, sent)
            except (OSError, http.client.HTTPException) as error:
                failure = ServiceError(f"the server at {self._address} gave no answer: {error!r}.")
                failure.__cause__ = error
                continue
            if status < 400:
                return answer
            failure = _error(status, answer)
            if status != 503:
                break
        raise failure

    def _once(self, method: str, path: str, body: bytes | None) -> tuple[int, bytes]:
        held = self._own.held
        if not held:
            kind = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
            held.append(kind(self._address, timeout=self._timeout))
        try:
            held[0].request(method, self._base + path, body, self._headers)
            response = held[0].getresponse()
            return response.status, response.read()
        except BaseException:
            self.close()  # half an answer may be on its way
            raise

    def close(self) -> None:
        """Close this thread's connection; the next request opens another one."""
        _close(self._own.held)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class RemoteBandit:
    """The bandit of an experiment on a server, with the calls of `SharedBandit`.

    Outcomes are reported for decisions, not for arms, since only those can be repeated safely.
    There is therefore no `learn_from`, and `update` takes a decision that `decide` returned.
    """

    def __init__(self, client: Client, name: str) -> None:
        self._client, self.name = client, name
        self._path = f"/v1/experiments/{urllib.parse.quote(name, safe='')}"

    @overload
    def decide(self, *, unit: str | None = ..., request_id: str | None = ...) -> LoggedDecision: ...
    @overload
    def decide(
        self, n: int, *, unit: str | None = ..., request_id: str | None = ...
    ) -> list[LoggedDecision]: ...
    def decide(
        self, n: int | None = None, *, unit: str | None = None, request_id: str | None = None
    ) -> LoggedDecision | list[LoggedDecision]:
        """Choose an arm, or `n` of them; see `SharedBandit.decide`."""
        body = {"n": 1 if n is None else n, "request_id": request_id or uuid.uuid4().hex}
        body |= {} if unit is None else {"unit": unit}
        found = self._client.send("POST", f"{self._path}/decisions", body, repeatable=True)
        made = [_decision(each) for each in found["decisions"]]
        return made[0] if n is None else made

    def update(
        self,
        decision: Decision,
        *bare: Any,
        loss: float | None = None,
        reward: float | None = None,
    ) -> Answer:
        """Report the outcome of a decision; see `SharedBandit.update`.

        If the first answer was lost in transit and the request is repeated, that is "repeated".
        """
        kind = read_kind(ONE, bare, loss, reward)
        value = loss if kind == "loss" else reward
        return self._report([decision], kind, [value])[0]

    def update_many(
        self,
        decisions: Iterable[Decision],
        *bare: Any,
        losses: Sequence[float] | None = None,
        rewards: Sequence[float] | None = None,
    ) -> list[Answer]:
        """Report the outcomes of many decisions, in as few requests as the server allows."""
        kind = read_kind(MANY, bare, losses, rewards)
        values = read_list("the list of values", losses if kind == "loss" else rewards)
        return self._report(read_list("the list of decisions", decisions), kind, values)

    def answer(
        self,
        ids: Iterable[str],
        *bare: Any,
        losses: Sequence[float] | None = None,
        rewards: Sequence[float] | None = None,
    ) -> list[Answer]:
        """Report outcomes by the ids of decisions; see `SharedBandit.answer`."""
        kind = read_kind(ANSWER, bare, losses, rewards)
        values = read_list("the list of values", losses if kind == "loss" else rewards)
        return self._answers(read_list("the list of ids", ids), kind, values)

    def forget(self, decision: Decision) -> Answer:
        """Discard a pending decision; see `SharedBandit.forget`.

        If the first answer was lost in transit and the request is repeated, that is "repeated".
        """
        if not isinstance(decision, Decision):
            raise InvalidValueError(f"{decision!r} is not a decision; give one made by decide().")
        body = {"decision": decision.id}
        answer: Answer = self._client.send("POST", f"{self._path}/forget", body, True)["answer"]
        return answer

    def amend(
        self,
        decision: Decision | str,
        *bare: Any,
        loss: float | None = None,
        reward: float | None = None,
        reason: str | None = None,
    ) -> Answer:
        """Correct the outcome of a decision; see `SharedBandit.amend`."""
        kind = read_kind(AMEND, bare, loss, reward)
        return self._amend([decision], kind, [loss if kind == "loss" else reward], reason)[0]

    def amend_many(
        self,
        decisions: Iterable[Decision | str],
        *bare: Any,
        losses: Sequence[float] | None = None,
        rewards: Sequence[float] | None = None,
        reason: str | None = None,
    ) -> list[Answer]:
        """Correct the outcomes of many decisions; see `SharedBandit.amend`."""
        kind = read_kind(AMEND_MANY, bare, losses, rewards)
        values = read_list("the list of values", losses if kind == "loss" else rewards)
        return self._amend(read_list("the list of decisions", decisions), kind, values, reason)

    def void(self, *, since: Any, until: Any = None, reason: str | None = None) -> int:
        """Let the outcomes of a span of time not count; see `SharedBandit.void`."""
        times = {"since": since, "until": until}
        body = {name: str(t) if isinstance(t, datetime) else t for name, t in times.items()}
        body["reason"] = reason
        return int(self._client.send("POST", f"{self._path}/void", body)["voided"])

    def _amend(
        self, decisions: list[Any], kind: str, values: list[Any], reason: str | None
    ) -> list[Answer]:
        ids = [each.id if isinstance(each, Decision) else each for each in decisions]
        body = {"outcomes": _paired(ids, kind, values), "reason": reason}
        found = self._client.send("POST", f"{self._path}/amend", body, repeatable=True)
        return list(found["answers"])

    def pending(self) -> list[Decision]:
        """The decisions whose outcomes are pending, oldest first; those of the holdout last."""
        text = self._client.raw("GET", f"{self._path}/pending", None, True)
        return [Decision(each["arm"], each["id"]) for each in map(json.loads, text.splitlines())]

    def _answers(self, ids: list[Any], kind: str, values: list[Any]) -> list[Answer]:
        sent = _paired(ids, kind, values)
        answers: list[Answer] = []
        for first in range(0, len(sent), _MOST_AT_ONCE):
            part = sent[first : first + _MOST_AT_ONCE]
            found = self._client.send("POST", f"{self._path}/outcomes", part, repeatable=True)
            answers += found["answers"]
        return answers

    def add_arm(self, arm: Arm) -> None:
        """Add an arm about which nothing is known yet."""
        self._change_arm(arm, "add")

    def remove_arm(self, arm: Arm) -> None:
        """Remove an arm for good."""
        self._change_arm(arm, "remove")

    def pause_arm(self, arm: Arm) -> None:
        """Stop choosing an arm until `resume_arm`."""
        self._change_arm(arm, "pause")

    def resume_arm(self, arm: Arm) -> None:
        """Let a paused arm be chosen again."""
        self._change_arm(arm, "resume")

    def change(self, **settings: Any) -> None:
        """Change settings: window, if_silent, sticky, holdout, control."""
        self._client.send("PATCH", self._path, settings)

    def archive(self, archived: bool = True) -> None:
        """Stop making decisions, or start again."""
        self._client.send("PATCH", self._path, {"archived": archived})

    @property
    def arms(self) -> list[Arm]:
        """All arms that can be chosen, by name."""
        return list(self._client.send("GET", self._path)["arms"])

    @property
    def paused(self) -> list[Arm]:
        """The arms that are paused, by name."""
        return list(self._client.send("GET", self._path)["paused"])

    @property
    def n_arms(self) -> int:
        """The number of arms that can be chosen."""
        return len(self.arms)

    @property
    def settings(self) -> dict[str, Any]:
        """The settings it was created with, including later changes."""
        return dict(self._client.send("GET", self._path)["settings"])

    def indices(self) -> dict[Arm, float]:
        """The index of each arm that can be chosen; the best one is played next."""
        return {arm.arm: arm.index for arm in self.explain().arms if arm.index is not None}

    def history(self) -> list[dict[str, Any]]:
        """The last 200 administrative changes, oldest first: what, when, and with which key."""
        return list(self._client.send("GET", f"{self._path}/overview")["history"])

    def counts(self) -> dict[Arm, int]:
        """The number of outcomes reported for each arm."""
        return {arm.arm: arm.count for arm in self.explain().arms}

    def means(self) -> dict[Arm, float]:
        """The mean outcome of each arm, NaN before the first."""
        return {arm.arm: arm.mean for arm in self.explain().arms}

    def explain(self) -> Explanation:
        """Why the next arm would be chosen; prints as a table."""
        found = self._client.send("GET", f"{self._path}/explain")
        arms = [ExplainedArm(**_with_nan(arm, "mean")) for arm in found["arms"]]
        return Explanation(arms, found["kind"], found["policy"], found["best"])

    def recommend(self, confidence: float = 0.95) -> Recommendation:
        """The arm to keep if you stop now, and how certain that is."""
        found = self._client.send("GET", f"{self._path}/recommend?confidence={confidence}")
        rows = (_with_ends(_with_nan(row, "difference")) for row in found["differences"])
        differences = {row.pop("arm"): Difference(**row) for row in rows}
        shortfall = math.inf if found["shortfall"] is None else found["shortfall"]
        more = {"differences": differences, "shortfall": shortfall}
        return Recommendation(**{**_with_ends(_with_nan(found, "mean")), **more})

    def intervals(self, confidence: float = 0.95) -> dict[Arm, ArmInterval]:
        """An interval for each arm's true mean; all hold together, at all times."""
        found = self._client.send("GET", f"{self._path}/overview?confidence={confidence}")
        rows = map(_with_ends, found["intervals"])
        return {row["arm"]: ArmInterval(row["low"], row["high"]) for row in rows}

    def lift(self, confidence: float = 0.95) -> Lift:
        """How much better the policy does than the control arm, measured on the holdout."""
        found = self._client.send("GET", f"{self._path}/lift?confidence={confidence}")
        return Lift(**_with_nan(found, "difference", "low", "high", "decided", "held_out"))

    def log(self, after: int = 0) -> Iterator[dict[str, Any]]:
        """The events after this number, in order."""
        text = self._client.raw("GET", f"{self._path}/log?after={after}", None, True)
        return (json.loads(line) for line in text.splitlines())

    def to_json(self) -> str:
        """The state of the bandit, as `lowbid.Bandit.from_json` reads it."""
        return self._client.raw("GET", f"{self._path}/snapshot", None, True).decode()

    def _report(self, decisions: list[Decision], kind: str, values: list[Any]) -> list[Answer]:
        for each in decisions:
            if not isinstance(each, Decision):
                raise InvalidValueError(f"{each!r} is not a decision; give one made by decide().")
        return self._answers([each.id for each in decisions], kind, values)

    def _change_arm(self, arm: Arm, change: str) -> None:
        self._client.send("POST", f"{self._path}/arms", {"arm": arm, "change": change})

    def __getattr__(self, name: str) -> Any:
        if hasattr(SharedBandit, name) or hasattr(Bandit, name):
            raise AttributeError(
                f"{name} is not available over HTTP; look at a copy of the bandit in this process: "
                "lowbid.Bandit.from_json(bandit.to_json())."
            )
        raise AttributeError(f"RemoteBandit has no attribute {name!r}")

    def __repr__(self) -> str:
        return f"<RemoteBandit {self.name!r} at {self._client._address}>"


def _decision(made: dict[str, Any]) -> LoggedDecision:
    decision = LoggedDecision(made["arm"], made["id"], made["propensity"], made["version"])
    decision.way = made["way"]
    return decision


def _paired(ids: list[Any], kind: str, values: list[Any]) -> list[dict[str, Any]]:
    """An outcome for each decision, as it is sent."""
    if len(ids) != len(values):
        raise InvalidValueError(
            f"there are {len(ids)} decisions, but {len(values)} outcomes; give one for each."
        )
    return [{"decision": i, kind: v} for i, v in zip(ids, values, strict=True)]


def _with_nan(row: dict[str, Any], *names: str) -> dict[str, Any]:
    """Turn null into NaN, which JSON does not have."""
    return {**row, **{name: _NAN for name in names if row[name] is None}}


def _with_ends(row: dict[str, Any]) -> dict[str, Any]:
    """Turn null into an infinity, which JSON does not have either."""
    low, high = row["low"], row["high"]
    low, high = -math.inf if low is None else low, math.inf if high is None else high
    return {**row, "low": low, "high": high}


def _error(status: int, answer: bytes) -> Exception:
    """The error that the same call on a bandit in this process would raise."""
    try:
        detail = json.loads(answer)["detail"]
    except (ValueError, KeyError, TypeError):
        detail = f"the server answered {status}: {answer[:200]!r}"
    if status == 404:
        return UnknownNameError(detail)
    if status == 422:
        return InvalidValueError(detail)
    return ServiceError(f"{detail} (status {status})")
