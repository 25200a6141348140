"""The app: the API with its documentation, the page, and the guard before both."""

import logging
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import Annotated, Any

import anyio.to_thread
from fastapi import FastAPI, Form, Request
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.docs import get_swagger_ui_html
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException

import lmta
from lmta.service.api import make_router
from lmta.service.data import TooLargeError
from lmta.service.desk import Desk
from lmta.service.forecast import Forecasts
from lmta.service.security import COOKIE, LOGIN, Guard
from lmta.service.store import ConflictError, NotFoundError
from lmta.types import InputError

MOST_AT_ONCE = 16
"""Requests that are worked on at once; others wait their turn."""
STATUS = ((NotFoundError, 404), (ConflictError, 409), (TooLargeError, 413), (InputError, 422))
DOCS = "/docs"
METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]
LOG = logging.getLogger(__name__)
_LOGIN_FORM = """<!doctype html><html lang="en-US"><meta charset="utf-8"><title>lmta</title>
<meta name="viewport" content="width=device-width"><style>:root{{color-scheme:light dark}}
body{{font:1rem system-ui;max-width:24rem;margin:20vh auto;padding:1rem}}input,button{{font:inherit;padding:.5rem;
width:100%;box-sizing:border-box;margin:.4rem 0}}</style>
<h1>lmta</h1><form method="post"><label>Token <input name="token" type="password" autocomplete="current-password"
autofocus required></label><button>Open</button></form><p role="alert">{message}</p></html>"""


def make_app(desk: Desk, *, only_loopback: bool = True, token: str | None = None, with_page: bool = True) -> Any:
    """The whole service as an ASGI app."""
    forecasts = Forecasts(desk)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        anyio.to_thread.current_default_thread_limiter().total_tokens = MOST_AT_ONCE
        yield
        desk.close()
        forecasts.close()

    app = FastAPI(
        title="lmta",
        version=lmta.__version__,
        description="Plans under a budget that has to last, day by day.",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.include_router(make_router(desk, forecasts))
    app.add_route("/api/{rest:path}", _unknown, METHODS)
    app.add_exception_handler(InputError, _refused)
    app.add_exception_handler(sqlite3.OperationalError, _unwritten)
    app.add_exception_handler(RequestValidationError, _misread)
    app.add_exception_handler(HTTPException, _plain_error)
    _add_docs(app)
    guard = Guard(app, only_loopback, token, desk.limits.bytes)
    _add_login(app, guard)
    if with_page:
        from lmta.service.page.pages import add_pages  # noqa: PLC0415  (takes a second)

        add_pages(app, desk, forecasts)
    return guard


def _add_docs(app: FastAPI) -> None:
    """The OpenAPI page, with its script and style from a package."""
    app.mount("/docs-assets", StaticFiles(directory=str(files("fastapi_offline") / "static")))

    @app.get(DOCS, include_in_schema=False)
    def show_docs() -> HTMLResponse:
        return get_swagger_ui_html(
            openapi_url=app.openapi_url or "",
            title="lmta",
            swagger_js_url="/docs-assets/swagger-ui-bundle.js",
            swagger_css_url="/docs-assets/swagger-ui.css",
            swagger_favicon_url="/docs-assets/favicon.png",
        )


def _add_login(app: FastAPI, guard: Guard) -> None:
    @app.get(LOGIN, include_in_schema=False)
    def show_login() -> HTMLResponse:
        return HTMLResponse(_LOGIN_FORM.format(message=""))

    @app.post(LOGIN, include_in_schema=False)
    def log_in(token: Annotated[str, Form()]) -> Response:
        if not guard.knows(token):
            return HTMLResponse(_LOGIN_FORM.format(message="This is not the token."), status_code=401)
        answer = RedirectResponse("/", status_code=303)
        answer.set_cookie(COOKIE, guard.cookie(), httponly=True, samesite="strict")
        return answer


def _unknown(request: Request) -> Response:
    """Whatever no route before it answers; the page, which comes after it, would answer in HTML."""
    return _problem(404, f"There is no such request here; {DOCS} has all of them.")


def _refused(request: Request, error: Exception) -> Response:
    code = next(code for kind, code in STATUS if isinstance(error, kind))
    return _problem(code, str(error))


def _unwritten(request: Request, error: Exception) -> Response:
    """The disk is full, or the database cannot be reached: nothing was changed."""
    LOG.error("database: %s", error)
    return _problem(503, f"The database cannot be used now ({error}); nothing was changed.")


def _misread(request: Request, error: Exception) -> Response:
    """The first field that is wrong, in one sentence."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    hidden = {"body", "query", "path"}
    place = () if first["type"] == "json_invalid" else first["loc"]  # of bad JSON it is a position, not a field
    field = ".".join(str(part) for part in place if part not in hidden) or "body"
    return _problem(422, f"{field}: {first['msg']}.")


def _plain_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    headers = dict(error.headers or {})
    return _problem(error.status_code, str(error.detail), headers)


def _problem(code: int, detail: str, headers: dict[str, str] | None = None) -> Response:
    readable = detail.encode("utf-8", "backslashreplace").decode()
    return JSONResponse({"detail": readable}, status_code=code, headers=headers)
