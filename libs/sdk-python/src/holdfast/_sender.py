from __future__ import annotations

import math
import random
import re
import time
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Mapping
from urllib.parse import urlsplit

from ._access_tokens import AccessTokens
from .errors import ApiError, UnavailableError
from .transport import Request, Response, Transport

#: A caller that wants to wait longer repeats the call itself.
_MAX_WAIT_SECONDS = 30.0
_FIRST_WAIT_SECONDS = 0.2
#: Responses of proxies, and of Holdfast while something behind it does not answer.
_UNAVAILABLE = (502, 503, 504)


@dataclass(frozen=True)
class ApiRequest:
    method: str
    url: str
    headers: Mapping[str, str] = field(repr=False)
    #: The operation that it needs.
    scope: str
    body: bytes | None = field(default=None, repr=False)
    is_stream: bool = False
    #: Ends the call and its repeats.
    deadline_seconds: float | None = None

    @property
    def name(self) -> str:
        return f"{self.method} {urlsplit(self.url).path}"


class Sender:
    """Sends requests with a token, and repeats what failed where that changes nothing twice.

    These are reads, and changes with an Idempotency-Key. A 429 is repeated in any case, since nothing was done.
    """

    def __init__(self, transport: Transport, tokens: AccessTokens, timeout_seconds: float, max_repeats: int) -> None:
        self._transport = transport
        self._tokens = tokens
        self._timeout_seconds = timeout_seconds
        self._max_repeats = max_repeats

    def send(self, request: ApiRequest) -> tuple[Response, bytes]:
        """
        :returns: a response 2xx or 304, and its body; that of a stream is yet to be read
        :raises ApiError:
        :raises UnavailableError:
        """
        end = math.inf if request.deadline_seconds is None else time.monotonic() + request.deadline_seconds
        repeats = 0
        while True:
            try:
                return self._attempt(request, end)
            except (ApiError, UnavailableError) as error:
                wait_seconds = error.retry_after_seconds
                if wait_seconds is None:
                    wait_seconds = _FIRST_WAIT_SECONDS * 2**repeats * random.uniform(0.5, 1.5)
                is_last = repeats >= self._max_repeats or wait_seconds > min(_MAX_WAIT_SECONDS, end - time.monotonic())
                if is_last or not _is_temporary(error, request):
                    raise
            time.sleep(wait_seconds)
            repeats += 1

    def _attempt(self, request: ApiRequest, end: float) -> tuple[Response, bytes]:
        try:
            response = self._authorized(request, request.scope, end)
            if 200 <= response.status < 300 or response.status == 304:
                return response, b"" if request.is_stream else response.read()
            with response:
                body = response.read()
        except OSError as error:
            raise UnavailableError(f"There was no response to {request.name}: {error}") from error
        retry_after_seconds = _seconds_of(response.headers.get("retry-after"))
        if response.status in _UNAVAILABLE:
            message = f"Holdfast responded {response.status} to {request.name}."
            raise UnavailableError(message, retry_after_seconds=retry_after_seconds)
        raise ApiError(response.status, response.headers, body, retry_after_seconds=retry_after_seconds)

    def _authorized(self, request: ApiRequest, scope: str, end: float) -> Response:
        """Sends it, and once more when the token does not suffice but another would.

        That is a new one after the app, a secret or a grant has changed, one with the further scopes that the response
        names (RFC 6750 §3.1), or the same with the server's nonce (RFC 9449 §9).
        """
        token = self._tokens.get(scope)
        first = self._send_with(token.value, request, end)
        challenge = first.headers.get("www-authenticate")
        if challenge is None:
            return first
        parameters = dict(re.findall(r'(\w+)="([^"\\]*)"', challenge))
        if parameters.get("error") != "use_dpop_nonce":
            if first.status == 401:
                self._tokens.discard(scope, token)
            elif parameters.get("error") == "insufficient_scope" and "scope" in parameters:
                scope = " ".join(dict.fromkeys(f"{scope} {parameters['scope']}".split()))
            else:
                return first
        first.close()
        return self._send_with(self._tokens.get(scope).value, request, end)

    def _send_with(self, token: str, request: ApiRequest, end: float) -> Response:
        dpop = self._tokens.dpop
        headers = {**request.headers, "authorization": f"{'DPoP' if dpop else 'Bearer'} {token}"}
        if dpop:
            headers["dpop"] = dpop.proof(request.method, request.url, token)
        seconds = min(self._timeout_seconds, end - time.monotonic())
        if seconds <= 0:
            raise TimeoutError("the deadline of the call has passed")
        sent = Request(request.method, request.url, headers, seconds, request.body, request.is_stream)
        response = self._transport.send(sent)
        if dpop:
            dpop.observe(request.url, response)
        return response


def _is_temporary(error: ApiError | UnavailableError, request: ApiRequest) -> bool:
    if isinstance(error, ApiError):
        return error.status == 429 or error.code == "idempotency_in_progress"
    return request.method in ("GET", "HEAD") or "idempotency-key" in request.headers


def _seconds_of(value: str | None) -> float | None:
    """Seconds, or a date (RFC 9110 §10.2.3)."""
    if value is None:
        return None
    if re.fullmatch(r"\d{1,9}", value, re.ASCII):
        return float(value)
    try:
        return max(parsedate_to_datetime(value).timestamp() - time.time(), 0.0)
    except ValueError:
        return None
