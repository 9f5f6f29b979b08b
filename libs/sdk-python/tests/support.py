"""What the tests share: a client whose requests get given responses, and tokens of a key."""

from __future__ import annotations

import json
import time
from typing import Any, Callable
from urllib.parse import parse_qs, urlsplit

from holdfast import Holdfast, Request, Response

try:
    from holdfast._jose import Signer, require_cryptography

    require_cryptography()
    HAS_CRYPTOGRAPHY = True
except ImportError:
    HAS_CRYPTOGRAPHY = False

NEEDS_CRYPTOGRAPHY = "skipped: the package cryptography is missing (Debian: python3-cryptography)"
BASE_URL = "https://id.example"
Responder = Callable[[Request], Response]


def reply(body: object, status: int = 200, headers: dict[str, str] | None = None) -> Responder:
    return lambda _: Response(status, headers or {}, b"" if body is None else json.dumps(body).encode())


def problem(status: int, code: str, headers: dict[str, str] | None = None) -> Responder:
    return reply({"type": "t", "title": code, "status": status, "code": code, "requestId": "r"}, status, headers)


def cut_off(_: Request) -> Response:
    raise ConnectionError("the connection was reset")


class FakeServer:
    """Its API gives these responses in turn; metadata and tokens are beside."""

    def __init__(self, *responders: Responder) -> None:
        self.responders = list(responders)
        self.sent: list[Request] = []
        self.scopes: list[str] = []
        self.token_requests: list[Request] = []
        self.is_closed = False

    def send(self, request: Request) -> Response:
        path = urlsplit(request.url).path
        if path.startswith("/.well-known/"):
            return reply({"issuer": BASE_URL, "token_endpoint": f"{BASE_URL}/oauth2/token"})(request)
        if path == "/oauth2/token":
            self.token_requests.append(request)
            self.scopes.append(parse_qs((request.body or b"").decode())["scope"][0])
            kind = "DPoP" if "dpop" in request.headers else "Bearer"
            token = {"access_token": f"token-{len(self.scopes)}", "token_type": kind, "expires_in": 600}
            return reply(token)(request)
        self.sent.append(request)
        return self.responders.pop(0)(request)

    def close(self) -> None:
        self.is_closed = True

    def client(self, **more: Any) -> Holdfast:
        options: dict[str, Any] = {"client_secret": "the-secret", **more}
        return Holdfast(base_url=BASE_URL, organization="acme", client_id="app_1", transport=self, **options)

    def keys(self) -> list[str | None]:
        return [request.headers.get("idempotency-key") for request in self.sent]

    def lines(self) -> list[str]:
        return [f"{one.method} {one.url.removeprefix(BASE_URL)}" for one in self.sent]


def token_of(signer: Signer, typ: str, claims: dict[str, Any], kid: str = "k") -> str:
    now = int(time.time())
    base = {"iss": f"{BASE_URL}/o/acme", "aud": "app_1", "iat": now, "exp": now + 120, "jti": "j"}
    given = {name: value for name, value in {**base, **claims}.items() if value is not None}
    return signer.sign({"kid": kid, "typ": typ}, given)
