"""The page: its files, and its session."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from lowbid.service._guard import SESSION_COOKIE
from lowbid.service._models import PROBLEMS, SignIn
from lowbid.service._page_files import PageFile, page_files
from lowbid.service._sessions import SESSION_SECONDS, forgery_token
from lowbid.service.routes._context import Context

# The addresses that need no key: the page's files, and signing in and out.
PAGE = [
    *((method, path) for path in page_files(True) for method in ("GET", "HEAD")),
    ("POST", "/v1/session"),
    ("DELETE", "/v1/session"),
]


def page_routes(context: Context) -> APIRouter:
    """The page and its session."""
    router, guard = APIRouter(tags=["page"], responses=PROBLEMS), context.guard

    for address, file in page_files(guard.needs_keys).items():
        router.add_api_route(
            address, _serving(file), methods=["GET", "HEAD"], include_in_schema=False
        )

    @router.post("/v1/session")
    async def sign_in(request: Request, sent: SignIn) -> JSONResponse:
        """Begin a session of the page, with a cookie that scripts cannot read."""
        session, key = await guard.sign_in(sent.key.strip())
        answer = JSONResponse(
            {"name": key.name, "roles": key.roles, "token": forgery_token(session)}
        )
        answer.set_cookie(
            SESSION_COOKIE,
            session,
            max_age=SESSION_SECONDS,
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https",
        )
        return answer

    @router.get("/v1/session")
    async def session(request: Request) -> JSONResponse:
        """Who is signed in, and the token that changes from the page need."""
        caller = guard.caller(request)
        token = forgery_token(request.cookies.get(SESSION_COOKIE, ""))
        return JSONResponse(
            {
                "name": caller.name,
                "roles": caller.roles,
                "token": token,
                "open": not guard.needs_keys,
            }
        )

    @router.delete("/v1/session", status_code=204)
    async def sign_out(request: Request) -> Response:
        """End the session: its cookie is no longer accepted."""
        await guard.sign_out(request.cookies.get(SESSION_COOKIE, ""))
        answer = Response(status_code=204)
        answer.delete_cookie(SESSION_COOKIE, httponly=True, samesite="strict")
        return answer

    return router


def _serving(file: PageFile) -> Callable[[], Awaitable[Response]]:
    async def serve() -> Response:
        return Response(file.text, media_type=file.media_type)

    return serve
