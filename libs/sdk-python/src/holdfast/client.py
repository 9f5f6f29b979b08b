"""The client: what an app of one organization can call."""

from __future__ import annotations

import json
import re
import ssl
import uuid
from contextvars import ContextVar
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Callable, Generic, Mapping, ParamSpec, TypeVar
from urllib.parse import quote, urlencode, urljoin

from ._access_tokens import AccessTokens, DPoP, PrivateKey
from ._addresses import origin_of, require_secure
from ._jose import Signer
from ._sender import ApiRequest, Sender
from .calls import Calls, Route
from .errors import HoldfastError
from .transport import HttpTransport, Response, Transport

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True)
class Reply(Generic[T]):
    """What a call returns, with the response that it came in."""

    data: T
    status: int
    #: Names are in lower case, such as ``etag``.
    headers: Mapping[str, str]


_last_response: ContextVar[Response | None] = ContextVar("holdfast_last_response", default=None)


class Holdfast(Calls):
    """The API for an app of one organization. Nothing is sent before the first call.

    One client serves a whole process: its threads share tokens and connections. ``close`` or ``with`` ends these.

    :param base_url: address of the deployment, such as ``https://id.example``
    :param organization: the organization's short id, such as ``acme``
    :param client_secret: either this or ``private_key``
    :param dpop: binds each token to a key (RFC 9449): one of your own as for ``PrivateKey``, or ``True`` for a new one
    :param timeout_seconds: how long an attempt may take
    :param max_repeats: how often a request that failed is repeated at most, where that changes nothing twice
    :param ssl_context: by default that of the system, with the certificates of ``SSL_CERT_FILE``
    :param transport: in place of ``HttpTransport``, for proxies and the like
    :raises ValueError: when ``base_url`` is http on another machine
    """

    def __init__(
        self,
        *,
        base_url: str,
        organization: str,
        client_id: str,
        client_secret: str | None = None,
        private_key: PrivateKey | None = None,
        dpop: bool | object = False,
        timeout_seconds: float = 10.0,
        max_repeats: int = 4,
        ssl_context: ssl.SSLContext | None = None,
        transport: Transport | None = None,
    ) -> None:
        require_secure("base_url", base_url)
        self.base_url = base_url.rstrip("/")
        self.organization = organization
        self.client_id = client_id
        self._transport = transport or HttpTransport(ssl_context)
        proofs = DPoP(Signer.generate() if dpop is True else Signer(dpop)) if dpop else None
        tokens = AccessTokens(self._transport, self.base_url, client_id, client_secret, private_key, proofs)
        self._sender = Sender(self._transport, tokens, timeout_seconds, max_repeats)

    def request(self, call: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Reply[T]:
        """Makes a call, and returns the response's status and headers too: for ``ETag``, say, or rate limits.

        ``holdfast.request(holdfast.get_app, "app_2Vw…").headers["etag"]``
        """
        _last_response.set(None)
        data = call(*args, **kwargs)
        response = _last_response.get()
        if response is None:
            raise TypeError("request needs a call of this client, such as holdfast.get_app.")
        return Reply(data, response.status, response.headers)

    def fetch(
        self,
        path: str,
        scope: str,
        *,
        headers: Mapping[str, str] = {},
        deadline_seconds: float | None = None,
    ) -> Response:
        """A read of the API whose response is no JSON: the stream, files and tiles of the audit log.

        Close the response, or use it by ``with``. The time limit is for the response to begin.

        :param path: everything after the address of the deployment, such as ``/o/acme/api/admin/audit/checkpoint``
        :param scope: the operation that it needs
        :raises ValueError: when the path leads to another server
        """
        url = urljoin(f"{self.base_url}/", path)
        require_secure("path", url.partition("?")[0])
        if origin_of(url) != origin_of(self.base_url):
            raise ValueError(f"{path} is not of {self.base_url}.")
        sent = ApiRequest(
            "GET",
            url,
            {name.lower(): value for name, value in headers.items()},
            scope,
            is_stream=True,
            deadline_seconds=deadline_seconds,
        )
        return self._sender.send(sent)[0]

    def close(self) -> None:
        self._transport.close()

    def __enter__(self) -> Holdfast:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Holdfast {self.client_id} of {self.organization} at {self.base_url}>"

    def _call(
        self,
        route: Route,
        *,
        path: Mapping[str, object] = {},
        query: Mapping[str, object] = {},
        body: object = None,
        idempotency_key: str | None = None,
        if_match: str | None = None,
        request_id: str | None,
        deadline_seconds: float | None,
    ) -> Any:
        headers = {"accept": "application/json"}
        if body is not None:
            headers["content-type"] = "application/json"
        if route.is_repeatable:
            headers["idempotency-key"] = idempotency_key or str(uuid.uuid4())
        if if_match is not None:
            headers["if-match"] = if_match
        if request_id is not None:
            headers["x-request-id"] = request_id
        sent = ApiRequest(
            route.method,
            _url_of(self.base_url, route.path, {**path, "shortId": self.organization}, query),
            headers,
            _scope_of(route, body),
            None if body is None else json.dumps(body, allow_nan=False).encode(),
            deadline_seconds=deadline_seconds,
        )
        response, content = self._sender.send(sent)
        _last_response.set(response)
        if not content:
            return None
        try:
            return json.loads(content)
        except ValueError as error:
            raise HoldfastError(f"The response {response.status} to {sent.name} is no JSON.") from error


def _scope_of(route: Route, body: object) -> str:
    """An offer to a known customer needs two operations. With one it would be refused first, which the log shows."""
    is_offer = route.method == "POST" and route.path.endswith("/credentials/offers")
    is_to_known_customer = is_offer and isinstance(body, dict) and body.get("subject") is not None
    return f"{route.scope} issued:manage" if is_to_known_customer else route.scope


def _url_of(base_url: str, template: str, path: Mapping[str, object], query: Mapping[str, object]) -> str:
    def segment(match: re.Match[str]) -> str:
        value = path.get(match[1])
        # A missing one would be another address, and so would `..`.
        if value is None or str(value) in ("", ".", ".."):
            raise ValueError(f"{match[1]} is missing, or no name: {value!r}")
        return quote(str(value), safe="")

    given = {name: value for name, value in query.items() if value is not None}
    texts = {name: str(value).lower() if isinstance(value, bool) else value for name, value in given.items()}
    url = base_url + re.sub(r"\{(\w+)\}", segment, template)
    return f"{url}?{urlencode(texts)}" if texts else url
