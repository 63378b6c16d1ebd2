"""Errors as problem documents (RFC 9457): what was wrong, in which field, and what to do."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from lowbid.errors import (
    FileFormatError,
    InvalidValueError,
    LowbidError,
    MissingPackageError,
    StoreError,
    StoreUnavailableError,
    UnknownNameError,
)
from lowbid.shared import TooManyPendingError

_log = logging.getLogger("uvicorn.error")

MEDIA_TYPE = "application/problem+json"

# Where a value may be of several types, pydantic reports each as if it were a field.
_ALTERNATIVES = ("str", "int", "float", "bool", "constrained-str", "constrained-float")
# Messages that are clearer than pydantic's.
_WORDS = {
    "extra_forbidden": "there is no such field; check its spelling, or leave it out",
    "missing": "is missing; give it",
}


class ProblemError(Exception):
    """A refused request.

    Parameters
    ----------
    status : int
        The HTTP status.
    kind : str
        The kind of problem, as hyphenated words: the last part of its type.
    detail : str
        What was wrong, and what to do about it.
    field : str, optional
        The field of the request that it is about.
    headers : mapping, optional
        Headers of the answer.
    """

    def __init__(
        self,
        status: int,
        kind: str,
        detail: str,
        field: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status, self.kind, self.detail = status, kind, detail
        self.fields = [] if field is None else [(field, detail)]
        self.headers = headers


def document(
    status: int, kind: str, detail: str, fields: Sequence[tuple[str, str]] = ()
) -> dict[str, Any]:
    """A problem document."""
    found: dict[str, Any] = {
        "type": f"urn:lowbid:problem:{kind}",
        "title": kind.replace("-", " ").capitalize(),
        "status": status,
        "detail": detail,
    }
    if fields:
        found["errors"] = [{"field": field, "detail": text} for field, text in fields]
    return found


def response(problem: ProblemError) -> JSONResponse:
    """The response that describes a problem."""
    content = document(problem.status, problem.kind, problem.detail, problem.fields)
    headers = None if problem.headers is None else dict(problem.headers)
    return JSONResponse(content, problem.status, headers, media_type=MEDIA_TYPE)


def problem_of(error: LowbidError) -> ProblemError:
    """The problem that an error of the library is for the sender of the request."""
    match error:
        case TooManyPendingError():
            return ProblemError(429, "too-many-open-decisions", str(error))
        case StoreUnavailableError():
            detail = "the store cannot be reached, or is busy; send the request again."
            return ProblemError(503, "store-unavailable", detail, headers={"Retry-After": "1"})
        case StoreError():
            return ProblemError(503, "store-failed", "the store failed; the server's log says how.")
        case UnknownNameError():
            return ProblemError(404, "unknown-name", str(error), error.field)
        case FileFormatError():
            detail = "the experiment's log cannot be read here; the server's log says why."
            return ProblemError(500, "damaged-log", detail)
        case MissingPackageError():
            return ProblemError(501, "missing-package", str(error))
        case InvalidValueError():
            return ProblemError(422, "invalid-value", str(error), error.field)
    return ProblemError(500, "error", str(error))


def library_problem(error: LowbidError) -> ProblemError:
    """The problem with which an error of the library is answered; details are logged here."""
    if isinstance(error, StoreError | FileFormatError):
        # Clients need not know where the store is.
        _log.error("%s", error)
    return problem_of(error)


def validation_problem(errors: Sequence[Any]) -> ProblemError:
    """Answer bodies and parameters that do not match the OpenAPI document."""
    problem, found = ProblemError(422, "invalid-request", ""), dict[str, list[str]]()
    for each in errors[:20]:
        if each["type"] == "json_invalid":
            found["body"] = ["is not valid JSON"]
            continue
        place = [str(part) for part in each["loc"] if part not in ("body", "query", "path")]
        if len(place) > 1 and place[-1] in _ALTERNATIVES:
            place.pop()
        said = found.setdefault(".".join(place) or "body", [])
        text = _WORDS.get(each["type"], str(each["msg"]))[:300]
        if text not in said:
            said.append(text)
    problem.fields = [(field, ", or: ".join(said)) for field, said in found.items()]
    problem.detail = "; ".join(f"{field}: {text}" for field, text in problem.fields[:3])
    return problem


def install(app: FastAPI) -> None:
    """Answer every error of this app with a problem document."""
    app.add_exception_handler(ProblemError, _of_problem)
    app.add_exception_handler(LowbidError, _of_library_error)
    app.add_exception_handler(RequestValidationError, _of_validation)
    app.add_exception_handler(HTTPException, _of_http)
    app.add_exception_handler(Exception, _of_anything)


async def _of_problem(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, ProblemError)
    return response(error)


async def _of_library_error(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, LowbidError)
    return response(library_problem(error))


async def _of_validation(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    return response(validation_problem(error.errors()))


async def _of_http(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    title = HTTPStatus(error.status_code).phrase
    kind = title.lower().replace(" ", "-")
    details = {
        400: "the body cannot be read as JSON; send JSON in UTF-8.",
        404: "there is nothing at this address; see /docs for all addresses.",
        405: "this address does not accept that method; see /docs for the methods it accepts.",
    }
    detail = details.get(error.status_code, str(error.detail))
    return response(ProblemError(error.status_code, kind, detail, headers=error.headers))


async def _of_anything(_: Request, __: Exception) -> JSONResponse:
    # The server's log says what went wrong; the details are not for clients.
    return response(ProblemError(500, "server-error", "the server failed; its log says how."))
