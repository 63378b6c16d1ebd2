"""Decisions and their outcomes: the routes with the most traffic."""

from __future__ import annotations

from typing import Any, TypeVar

from fastapi import APIRouter, Request
from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_json
from starlette.responses import Response

from lowbid.online import Decision
from lowbid.service._gate import BODY
from lowbid.service._limits import Limits
from lowbid.service._models import (
    PROBLEMS,
    DecisionAnswer,
    DecisionRequest,
    GivenUp,
    GivenUpAnswer,
    OutcomeAnswer,
    OutcomeReport,
    body_schema,
    reference,
)
from lowbid.service._problems import ProblemError, TooManyOpenError, validation_problem
from lowbid.service.routes._context import Context
from lowbid.shared import LoggedDecision
from lowbid.shared._calls import Decide, Forget, InvalidOutcomeError, Plan, Reply
from lowbid.shared._events import Forgotten
from lowbid.shared._memory import Memory
from lowbid.shared._replica import Replica
from lowbid.shared._requests import answering, deciding

Found = TypeVar("Found")

_REQUEST = TypeAdapter(DecisionRequest)
_OUTCOME, _OUTCOMES = TypeAdapter(OutcomeReport), TypeAdapter(list[OutcomeReport])
_GIVEN_UP = TypeAdapter(GivenUp)
_ONE_OR_MANY = {
    "anyOf": [
        reference(OutcomeReport),
        {"type": "array", "items": reference(OutcomeReport), "maxItems": Limits().outcomes},
    ]
}


class LimitedDecide(Decide):
    """A call that makes no decisions while too many outcomes are pending."""

    def __init__(self, wanted: DecisionRequest, most_open: int) -> None:
        checked = deciding(wanted.n, wanted.unit, wanted.request_id)
        super().__init__(checked.n, checked.unit, checked.request_id)
        self.most_open = most_open

    def plan(self, replica: Replica, memory: Memory, time: int) -> Plan:
        """The decisions made earlier for this request, or new ones if there is room."""
        planned = super().plan(replica, memory, time)
        waiting = len(replica.core.decisions.open) + len(replica.holdout.decisions.open)
        if not isinstance(planned, Reply) and waiting >= self.most_open:
            raise TooManyOpenError(
                f"{waiting:,} decisions are waiting for their outcomes, and at most "
                f"{self.most_open:,} may; report outcomes, or give the experiment a window, after "
                "which they are given up."
            )
        return planned


class ForgetById(Forget):
    """Give up on a decision that is known by its id alone."""

    def __init__(self, identity: str) -> None:
        super().__init__(Decision("", identity))

    def plan(self, replica: Replica, memory: Memory, time: int) -> Plan:
        """Close the decision if it is open."""
        identity = self.decision.id
        if not replica.is_known(identity):
            return Reply("unknown")
        arm = replica.arm_of(identity)
        self.decision = Decision("" if arm is None else arm, identity)
        return super().plan(replica, memory, time)

    def conclude(self, replica: Replica, memory: Memory, event: Forgotten) -> str:
        """The answer, now that the decision is closed."""
        return super().conclude(replica, memory, event) or "forgotten"


def decision_routes(context: Context) -> APIRouter:
    """Make decisions, and report their outcomes.

    The functions read the body themselves; `Gate` calls them directly, not through FastAPI.
    """
    router, limits, metrics = APIRouter(tags=["decisions"]), context.limits, context.metrics

    @router.post(
        "/v1/experiments/{name}/decisions",
        response_model=DecisionAnswer,
        responses=PROBLEMS,
        openapi_extra=body_schema(reference(DecisionRequest), required=False),
    )
    async def decide(request: Request, name: str) -> Response:
        """Choose arms.

        A request repeated with the same `request_id` returns the decisions already made.
        """
        context.guard.require(request, "decide", name)
        body = request.scope[BODY]
        wanted = _read(_REQUEST, body) if body else DecisionRequest()
        if wanted.n > limits.decisions:
            raise ProblemError(
                422, "too-many", f"n is {wanted.n}; one request may make at most "
                f"{limits.decisions:,} decisions.", "n",
            )  # fmt: skip
        decisions = await context.submit(name, LimitedDecide(wanted, limits.open_decisions))
        metrics.decided(name, len(decisions))
        return _json({"decisions": [_plain(decision) for decision in decisions]})

    @router.post(
        "/v1/experiments/{name}/outcomes",
        response_model=OutcomeAnswer,
        responses=PROBLEMS,
        openapi_extra=body_schema(_ONE_OR_MANY),
    )
    async def report(request: Request, name: str) -> Response:
        """Report the outcome of one decision, or of a list of them.

        Each gets an answer: "taken"; "repeated" if the same outcome was recorded before; "closed"
        if a different one was, or if the decision was given up; "removed" if its arm is gone;
        "unknown" if no such decision was made. A request is therefore safe to repeat. If a value is
        invalid, none is recorded.
        """
        context.guard.require(request, "decide", name)
        body: bytes = request.scope[BODY]
        many = body.lstrip()[:1] == b"["
        outcomes = _read(_OUTCOMES, body) if many else [_read(_OUTCOME, body)]
        if len(outcomes) > limits.outcomes:
            raise ProblemError(
                422, "too-many", f"there are {len(outcomes):,} outcomes; one request may report "
                f"at most {limits.outcomes:,}.", "body",
            )  # fmt: skip
        if not outcomes:
            return _json({"answers": []})
        kind = _kind(outcomes)
        values = [each.reward if kind == "rewards" else each.loss for each in outcomes]
        call = answering([each.decision for each in outcomes], **{kind: values})  # type: ignore[arg-type]
        try:
            answers = await context.submit(name, call)
        except InvalidOutcomeError as error:
            field = "reward" if kind == "rewards" else "loss"
            place = f"{error.number}.{field}" if many else field
            raise ProblemError(422, "invalid-value", str(error), place) from error
        metrics.reported(name, answers)
        return _json({"answers": answers})

    @router.post(
        "/v1/experiments/{name}/forget",
        response_model=GivenUpAnswer,
        responses=PROBLEMS,
        openapi_extra=body_schema(reference(GivenUp)),
    )
    async def forget(request: Request, name: str) -> Response:
        """Give up on a decision whose outcome will not be reported; the policy ignores it.

        Answers "forgotten"; "closed" if it was answered or given up before; "removed" if its arm is
        gone; "unknown" if no such decision was made.
        """
        context.guard.require(request, "decide", name)
        call = ForgetById(_read(_GIVEN_UP, request.scope[BODY]).decision)
        return _json({"answer": await context.submit(name, call)})

    return router


def _read(form: TypeAdapter[Found], body: bytes) -> Found:
    """The content of a body, or a problem that names the fields that are wrong."""
    try:
        return form.validate_json(body)
    except ValidationError as error:
        errors = error.errors(include_url=False, include_input=False)
        raise validation_problem(errors) from error


def _json(content: object) -> Response:
    return Response(to_json(content), media_type="application/json")


def _kind(outcomes: list[OutcomeReport]) -> str:
    """Whether rewards or losses are reported, or a problem with the outcome that is neither."""
    first = "rewards" if outcomes[0].reward is not None else "losses"
    for number, each in enumerate(outcomes):
        if (each.reward is None) == (each.loss is None):
            what = "neither reward nor loss" if each.loss is None else "reward and loss"
            raise ProblemError(
                422, "invalid-request", f"outcome {number} has {what}; give one of the two.",
                str(number),
            )  # fmt: skip
        if (each.reward is not None) != (first == "rewards"):
            raise ProblemError(
                422, "invalid-request", f"outcome {number} is of another kind than the first; give "
                "only rewards or only losses.", str(number),
            )  # fmt: skip
    return first


def _plain(decision: LoggedDecision) -> dict[str, Any]:
    return {
        "id": decision.id,
        "arm": decision.arm,
        "propensity": decision.propensity,
        "way": decision.way,
        "version": decision.version,
    }
