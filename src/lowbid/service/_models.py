"""The models of requests and answers, from which the OpenAPI document is made."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from lowbid.service._problems import ProblemError

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._ -]{0,99}")


def _named(text: str) -> str:
    """A name that needs no escapes in an address, or an error."""
    if _NAME.fullmatch(text) is None:
        message = (
            "is {given}; give 1 to 100 letters (a to z), digits, dots, hyphens, underscores and "
            "spaces, the first a letter or a digit"
        )
        given = repr(text if len(text) <= 100 else f"{text[:100]}...")
        raise PydanticCustomError("name", message, {"given": given})
    return text


Name = Annotated[
    str,
    AfterValidator(_named),
    Field(
        description="letters, digits, dots, hyphens, underscores and spaces",
        json_schema_extra={"pattern": f"^{_NAME.pattern}$"},
    ),
]
Arm = Annotated[str, Field(min_length=1, max_length=512)] | int
Number = Annotated[float, Field(allow_inf_nan=False, strict=True)]
Range = tuple[Number, Number]
Span = Annotated[
    str | Number, Field(description='"90s", "15m", "1h", "30d", or a number of seconds')
]
Text = Annotated[str, Field(min_length=1, max_length=512)]


class Body(BaseModel):
    """A request's body; unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")


class NewExperiment(Body):
    """An experiment to create. If it exists already, the settings given must match its own."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {
                    "name": "checkout",
                    "arms": ["blue", "green"],
                    "reward_range": [0, 1],
                    "window": "1h",
                    "if_silent": 0.0,
                    "holdout": 0.05,
                    "control": "blue",
                }
            ]
        },
    )

    name: Name
    arms: list[Arm] = Field(min_length=1, description="the arms to choose from")
    policy: str | None = Field(
        default=None,
        description="as on the command line: ucb1, batch-ensemble:batches=12",
        max_length=300,
    )
    seed: Annotated[int, Field(strict=True, ge=0)] | None = None
    horizon: Annotated[int, Field(strict=True, ge=1)] | None = None
    loss_range: Range | None = Field(default=None, description="the lowest and the highest loss")
    reward_range: Range | None = Field(
        default=None, description="the lowest and the highest reward"
    )
    kind: Literal["loss", "reward"] | None = None
    expiry: Annotated[int, Field(strict=True, ge=1)] | None = Field(
        default=None, description="a decision is forgotten after this many further ones"
    )
    window: Span | None = Field(default=None, description="how long to wait for an outcome")
    if_silent: Number | None = Field(
        default=None, description="the value to record if none has arrived by then"
    )
    sticky: bool | Span | None = Field(default=None, description="whether a unit keeps its arm")
    holdout: Number | None = Field(
        default=None, description="the fraction of units that get the control arm"
    )
    control: Arm | None = None


class Changes(Body):
    """Settings to change; those left out stay as they are."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"holdout": 0.1, "control": "blue"}]}
    )

    window: Span | None = None
    if_silent: Number | None = None
    sticky: bool | Span | None = None
    holdout: Number | None = None
    control: Arm | None = None
    archived: bool | None = Field(default=None, description="true to stop making decisions")

    @model_validator(mode="before")
    @classmethod
    def _require_changeable(cls, given: Any) -> Any:
        """Say so of a setting that exists, but only for new experiments."""
        fixed = NewExperiment.model_fields.keys() - cls.model_fields.keys()
        for field in given if isinstance(given, dict) else ():
            if field in fixed:
                allowed = ", ".join(cls.model_fields)
                remedy = "POST to /arms" if field == "arms" else "make another experiment"
                message = f"{field} cannot be changed later; allowed are {allowed}; or {remedy}."
                raise ProblemError(422, "invalid-value", message, field)
        return given


class ArmChange(Body):
    """A change to one arm."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"arm": "red", "change": "add"}]}
    )

    arm: Arm
    change: Literal["add", "pause", "resume", "remove"]


class DecisionRequest(Body):
    """Decisions to make."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"unit": "customer-17", "request_id": "visit-4711"}]},
    )

    unit: Text | None = Field(default=None, description="what the decision is for, such as a user")
    request_id: Text | None = Field(
        default=None,
        description="your own id for this request; when repeated, it returns the same decisions",
    )
    n: Annotated[int, Field(strict=True, ge=1)] = Field(
        default=1, description="the number of decisions, all made before any of their outcomes"
    )


class OutcomeReport(Body):
    """The outcome of one decision: a reward or a loss."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"decision": "5a1f09c2-17", "reward": 1.0}]}
    )

    decision: str = Field(description='its id; one that is none of ours is answered "unknown"')
    reward: Number | None = None
    loss: Number | None = None


class Amendments(Body):
    """The right values of outcomes, whatever was reported before."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {"outcomes": [{"decision": "5a1f09c2-17", "reward": 0.0}], "reason": "refund"}
            ]
        },
    )

    outcomes: list[OutcomeReport] = Field(min_length=1, description="only rewards, or only losses")
    reason: Text | None = Field(default=None, description="why, for the log")


class VoidedTime(Body):
    """A span of time whose decisions do not count."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"since": "2026-03-01T08:00Z", "reason": "outage"}]},
    )

    since: str | Number = Field(description="ISO text with a time zone, or seconds since 1970")
    until: str | Number | None = Field(default=None, description="the end; now if it is missing")
    reason: Text | None = Field(default=None, description="why, for the log")


class GivenUp(Body):
    """A decision whose outcome will not be reported."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"decision": "5a1f09c2-17"}]}
    )

    decision: str = Field(description='its id; one that is none of ours is answered "unknown"')


class SignIn(Body):
    """A key, to begin a session of the page."""

    key: Annotated[str, Field(min_length=1, max_length=200)]


class MadeDecision(BaseModel):
    """A decision that was made."""

    id: str = Field(description="the id to report its outcome with")
    arm: str | int = Field(description="the arm that was chosen")
    propensity: float | None = Field(description="the probability of this choice, if known")
    way: Literal["policy", "sticky", "holdout"] = Field(description="how the arm was chosen")
    version: int = Field(description="the number of the last event it is based on")


class DecisionAnswer(BaseModel):
    """Decisions, made now or when the same request first arrived."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "decisions": [
                        {
                            "id": "5a1f09c2-17",
                            "arm": "green",
                            "propensity": 0.5,
                            "way": "policy",
                            "version": 41,
                        }
                    ]
                }
            ]
        }
    )

    decisions: list[MadeDecision]


class OutcomeAnswer(BaseModel):
    """The answer to each outcome, in the order of the request."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"answers": [None, "repeated"]}]})

    answers: list[Literal["repeated", "late", "removed", "conflict", "unknown"] | None]


class VoidedAnswer(BaseModel):
    """What does not count any more."""

    voided: int = Field(description="how many decisions, and outcomes of arms, were in the span")


class GivenUpAnswer(BaseModel):
    """The answer to giving up on a decision."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"answer": None}]})

    answer: Literal["repeated", "late", "removed", "conflict", "unknown"] | None


class ProblemField(BaseModel):
    """A field of a request that is wrong."""

    field: str
    detail: str


class ProblemDocument(BaseModel):
    """A problem document (RFC 9457)."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "type": "urn:lowbid:problem:unknown-name",
                    "title": "Unknown name",
                    "status": 404,
                    "detail": "there is no experiment 'chekout'; POST /v1/experiments creates one.",
                }
            ]
        }
    )

    type: str
    title: str
    status: int
    detail: str
    errors: list[ProblemField] = []


_SCHEMA = "#/components/schemas/{model}"
# The models that the OpenAPI document names and that FastAPI does not find by itself.
NAMED: tuple[type[BaseModel], ...] = (ProblemDocument, DecisionRequest, OutcomeReport, GivenUp)


def reference(model: type[BaseModel]) -> dict[str, Any]:
    """Where the OpenAPI document describes a model."""
    return {"$ref": _SCHEMA.format(model=model.__name__)}


def body_schema(schema: dict[str, Any], required: bool = True) -> dict[str, Any]:
    """The description of a body that a route reads itself."""
    content = {"application/json": {"schema": schema}}
    return {"requestBody": {"content": content, "required": required}}


def named_schemas() -> dict[str, Any]:
    """The descriptions of the models that are `NAMED`."""
    found: dict[str, Any] = {}
    for model in NAMED:
        schema = model.model_json_schema(ref_template=_SCHEMA)
        found |= schema.pop("$defs", {})
        found[model.__name__] = schema
    return found


PROBLEMS: dict[int | str, dict[str, Any]] = {
    "4XX": {
        "description": "The request was refused; nothing has changed.",
        "content": {"application/problem+json": {"schema": reference(ProblemDocument)}},
    },
    "5XX": {
        "description": "The server or its store failed; the request can be repeated.",
        "content": {"application/problem+json": {"schema": reference(ProblemDocument)}},
    },
}
