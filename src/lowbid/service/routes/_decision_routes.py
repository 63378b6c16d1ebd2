"""Decisions and their outcomes: the routes with the most traffic."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from fastapi import Request
from fastapi.routing import APIRoute
from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_json
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from lowbid.errors import LowbidError
from lowbid.service._gate import BODY
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
from lowbid.service._problems import (
    ProblemError,
    library_problem,
    response,
    validation_problem,
)
from lowbid.service._service_limits import Limits
from lowbid.service.routes._context import Context
from lowbid.shared import Decide, Forget, InvalidOutcomeError, LoggedDecision, answering

Answering = Callable[[Request, str], Awaitable[Response]]
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


class DecisionRoute(APIRoute):
    """A route whose function takes a request and a name, and reads the body itself."""

    def __init__(self, path: str, endpoint: Answering, **described: Any) -> None:
        super().__init__(
            path, endpoint, methods=["POST"], tags=["decisions"], responses=PROBLEMS, **described
        )


class DecisionRouter:
    """The addresses with the most traffic; all others go on to FastAPI.

    FastAPI describes these routes, but on the way through it a request costs half as much again.
    """

    def __init__(self, app: ASGIApp, routes: Sequence[DecisionRoute]) -> None:
        self._app = app
        self._routes = {route.path.rpartition("/")[2]: route for route in routes}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        parts: list[str] = scope["path"].split("/") if scope["type"] == "http" else []
        route = self._routes.get(parts[4]) if len(parts) == 5 else None
        if route is None or scope["method"] != "POST" or parts[1:3] != ["v1", "experiments"]:
            await self._app(scope, receive, send)
            return
        scope["route"] = route
        try:
            answer = await route.endpoint(Request(scope), parts[3])
        except ProblemError as problem:
            answer = response(problem)
        except LowbidError as error:
            answer = response(library_problem(error))
        await answer(scope, receive, send)


def decision_routes(context: Context) -> list[DecisionRoute]:
    """Make decisions, and report their outcomes."""
    limits, metrics = context.limits, context.metrics

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
        call = Decide(wanted.n, wanted.unit, wanted.request_id, limits.open_decisions)
        decisions = await context.submit(name, call)
        metrics.decided(name, len(decisions))
        return _json({"decisions": [_plain(decision) for decision in decisions]})

    async def report(request: Request, name: str) -> Response:
        """Report the outcome of one decision, or of a list of them.

        Each gets an answer: null if it was recorded; "repeated" if the same outcome was recorded
        before; "conflict" if a different one was; "late" if the decision was given up, or its
        window is over; "removed" if its arm is gone; "unknown" if no such decision was made. A
        request is therefore safe to repeat. If a value is invalid, none is recorded.
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
        kind = kind_of(outcomes)
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

    async def forget(request: Request, name: str) -> Response:
        """Discard a pending decision whose outcome will not be reported; the policy ignores it.

        Answers null if it is given up now; "repeated" if it was given up before; "conflict" if an
        outcome was recorded; "late" if its window is over; "removed" if its arm is gone; "unknown"
        if no such decision was made.
        """
        context.guard.require(request, "decide", name)
        call = Forget(_read(_GIVEN_UP, request.scope[BODY]).decision)
        return _json({"answer": await context.submit(name, call)})

    one = "/v1/experiments/{name}"
    return [
        DecisionRoute(
            f"{one}/decisions",
            decide,
            response_model=DecisionAnswer,
            openapi_extra=body_schema(reference(DecisionRequest), required=False),
        ),
        DecisionRoute(
            f"{one}/outcomes",
            report,
            response_model=OutcomeAnswer,
            openapi_extra=body_schema(_ONE_OR_MANY),
        ),
        DecisionRoute(
            f"{one}/forget",
            forget,
            response_model=GivenUpAnswer,
            openapi_extra=body_schema(reference(GivenUp)),
        ),
    ]


def _read(form: TypeAdapter[Found], body: bytes) -> Found:
    """The content of a body, or a problem that names the fields that are wrong."""
    try:
        return form.validate_json(body)
    except ValidationError as error:
        errors = error.errors(include_url=False, include_input=False)
        raise validation_problem(errors) from error


def _json(content: object) -> Response:
    return Response(to_json(content), media_type="application/json")


def kind_of(outcomes: list[OutcomeReport]) -> str:
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
                422, "invalid-request", f"outcome {number} mixes losses and rewards; give only "
                "rewards or only losses.", str(number),
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
