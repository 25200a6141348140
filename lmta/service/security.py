"""Who may ask: this machine or whoever has the token, of all pages only our own, with bodies of a bounded size."""

import hmac
from dataclasses import dataclass
from hashlib import sha256
from http.cookies import CookieError, SimpleCookie
from ipaddress import ip_address
from typing import Any

from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import Message, Receive, Scope, Send

from lmta.types import InputError

COOKIE = "lmta"
LOGIN = "/login"
SHORTEST_TOKEN = 16
FORM_OVERHEAD = 1_000_000
"""Bytes that a form may add to the file in it."""
HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"same-origin"),
)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the host."""
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def check_exposure(host: str, token: str | None) -> None:
    """Refuse to be open to others without a token that cannot be guessed."""
    if token is not None and not (token.isascii() and token.isprintable()):
        raise InputError("token: has characters that a request's header cannot carry; use letters, digits and signs.")
    if token is not None and len(token) < SHORTEST_TOKEN:
        raise InputError(f"token: has {len(token)} characters; at least {SHORTEST_TOKEN} are needed.")
    if token is None and not is_loopback(host):
        raise InputError(f"token: is needed to serve on {host}, where others could reach it; or leave out --host.")


@dataclass(frozen=True)
class Guard:
    """The gate before the app (ASGI)."""

    app: Any
    only_loopback: bool
    token: str | None
    largest_body: int

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse, or pass on with the body counted."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is None and scope["type"] == "http":
            await self._pass_on(scope, receive, send)
        elif refusal is None:
            await self.app(scope, receive, send)
        elif scope["type"] == "http":
            await refusal(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})

    def cookie(self) -> str:
        """What a browser that has given the token shows from then on."""
        return hmac.new((self.token or "").encode(), b"lmta page", sha256).hexdigest()

    def knows(self, given: str) -> bool:
        """Whether it is the token; takes as long for any."""
        return self.token is None or hmac.compare_digest(given.encode(), self.token.encode())

    def _refusal(self, scope: Scope) -> Response | None:
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        host = headers.get(b"host", "")
        if self.only_loopback and not is_loopback(_host_name(host)):
            return _refuse(403, "host: this service answers to this machine only.")
        origin = headers.get(b"origin")
        if origin is not None and origin.partition("://")[2].lower() != host.lower():
            return _refuse(403, "origin: requests are taken from this service's own page only.")
        if self.token is None or scope["path"] == LOGIN or self._is_known(headers):
            return None
        if scope["type"] == "http" and scope["method"] == "GET" and not scope["path"].startswith("/api/"):
            return RedirectResponse(LOGIN, status_code=303)
        return _refuse(401, "token: is missing or wrong; send it as 'Authorization: Bearer TOKEN'.")

    def _is_known(self, headers: dict[bytes, str]) -> bool:
        scheme, _, given = headers.get(b"authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return self.knows(given.strip())
        try:
            cookie = SimpleCookie(headers.get(b"cookie", "")).get(COOKIE)
        except CookieError:
            return False
        return cookie is not None and hmac.compare_digest(cookie.value.encode(), self.cookie().encode())

    async def _pass_on(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the body on while it is small enough; whatever is answered to a larger one becomes 413."""
        limit = self.largest_body + FORM_OVERHEAD
        too_large = _refuse(413, f"body: at most {limit:,} bytes are taken.")
        length = dict(scope["headers"]).get(b"content-length", b"0")
        if length.isdigit() and int(length) > limit:
            await too_large(scope, receive, send)
            return
        seen = 0
        refused = False

        async def counted() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            return {"type": "http.disconnect"} if seen > limit else message

        async def checked(message: Message) -> None:
            nonlocal refused
            if message["type"] == "http.response.start":
                refused = seen > limit
                message = {**message, "headers": [*message.get("headers", ()), *HEADERS]}
                if refused:
                    await too_large(scope, receive, send)
            if not refused:
                await send(message)

        try:
            await self.app(scope, counted, checked)
        except ClientDisconnect:
            if seen <= limit:
                raise
        if seen > limit and not refused:
            await too_large(scope, receive, send)


def _host_name(host: str) -> str:
    """The Host header without its port."""
    return host.partition("]")[0] + "]" if host.startswith("[") else host.partition(":")[0]


def _refuse(code: int, detail: str) -> Response:
    return JSONResponse({"detail": detail}, status_code=code)
