from __future__ import annotations

import base64
import re
import secrets
import threading
import time
import uuid
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Callable
from urllib.parse import quote_plus, urlencode, urlsplit

from ._addresses import is_loopback, origin_of
from ._jose import Signer, hash_of, parsed
from .errors import ApiError, UnavailableError
from .transport import Request, Response, Transport

_REFRESH_AHEAD_SECONDS = 120.0
#: Between two attempts to replace a token in the background.
_REFRESH_PAUSE_SECONDS = 5.0
#: A token with less time left is not used: it could end on the way.
_MARGIN_SECONDS = 15.0
_TIMEOUT_SECONDS = 10.0


@dataclass(frozen=True)
class PrivateKey:
    """In place of a client secret: signs an assertion for each token (RFC 7523)."""

    #: PEM without a password, or a private key of ``cryptography``: P-256, Ed25519 or RSA.
    key: Any = field(repr=False)
    kid: str


class DPoP:
    """Binds tokens to a key (RFC 9449). One for each client, since it remembers the nonces of the servers."""

    def __init__(self, signer: Signer) -> None:
        self._signer = signer
        self._nonces: dict[str, str] = {}

    def proof(self, method: str, url: str, token: str | None = None) -> str:
        nonce = self._nonces.get(origin_of(url))
        claims = {
            "jti": secrets.token_urlsafe(16),
            "htm": method,
            "htu": urlsplit(url)._replace(query="", fragment="").geturl(),
            "iat": int(time.time()),
            **({} if nonce is None else {"nonce": nonce}),
            **({} if token is None else {"ath": hash_of(token)}),
        }
        return self._signer.sign({"typ": "dpop+jwt", "jwk": self._signer.public_jwk}, claims)

    def observe(self, url: str, response: Response) -> None:
        """To be called with each response: the server may have sent another nonce."""
        if (nonce := response.headers.get("dpop-nonce")) is not None:
            self._nonces[origin_of(url)] = nonce


@dataclass
class AccessToken:
    value: str = field(repr=False)
    #: Of ``time.monotonic``.
    expires_at: float
    #: From then on it is replaced in the background while it is still used.
    refresh_at: float


class AccessTokens:
    """The app's own access tokens (client-credentials grant), one for each set of scopes.

    So a token has no more rights than the call that it is for. Threads that begin together share one request.
    """

    def __init__(
        self,
        transport: Transport,
        issuer: str,
        client_id: str,
        client_secret: str | None,
        private_key: PrivateKey | None,
        dpop: DPoP | None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        if (not client_secret) == (private_key is None):
            raise TypeError("Give either client_secret or private_key: an app has one or the other.")
        self.dpop = dpop
        self._transport = transport
        self._issuer = issuer
        self._client_id = client_id
        self._client_secret = client_secret
        self._kid = private_key.kid if private_key else None
        self._signer = Signer(private_key.key) if private_key else None
        self._now = now
        self._lock = threading.Lock()
        self._cache: dict[str, AccessToken] = {}
        self._requests: dict[str, Future[AccessToken]] = {}
        self._token_endpoint: str | None = None

    def get(self, scope: str) -> AccessToken:
        """
        :raises ApiError: when the app may not have such a token
        :raises UnavailableError: when none could be requested
        """
        with self._lock:
            cached = self._cache.get(scope)
            now = self._now()
            is_usable = cached is not None and cached.expires_at - now >= _MARGIN_SECONDS
            if cached is not None and is_usable and now >= cached.refresh_at:
                cached.refresh_at = now + _REFRESH_PAUSE_SECONDS
                threading.Thread(target=self._refresh, args=(scope,), name="holdfast-token", daemon=True).start()
        return cached if cached is not None and is_usable else self._request(scope)

    def discard(self, scope: str, token: AccessToken) -> None:
        """To be called when a token was refused: the app, a secret or a grant has changed."""
        with self._lock:
            if self._cache.get(scope) is token:
                del self._cache[scope]

    def _refresh(self, scope: str) -> None:
        try:
            self._request(scope)
        except (ApiError, UnavailableError):
            pass  # A failure that lasts is reported when the token has ended.

    def _request(self, scope: str) -> AccessToken:
        with self._lock:
            running = self._requests.get(scope)
            if running is None:
                own: Future[AccessToken] = Future()
                self._requests[scope] = own
        if running is not None:
            return running.result()
        try:
            token = self._grant(scope)
        except BaseException as error:
            with self._lock:
                del self._requests[scope]
            is_own = isinstance(error, Exception)
            own.set_exception(error if is_own else UnavailableError("The thread that requested a token was ended."))
            raise
        with self._lock:
            del self._requests[scope]
            self._cache[scope] = token
        own.set_result(token)
        return token

    def _grant(self, scope: str) -> AccessToken:
        try:
            endpoint = self._token_endpoint or self._discover()
            requested_at = self._now()
            response = self._send(endpoint, scope)
            if self.dpop and b"use_dpop_nonce" in response[1]:
                response = self._send(endpoint, scope)
            return self._token_of(response[0], response[1], requested_at)
        except OSError as error:
            raise UnavailableError(f"No token could be requested: {error}") from error
        except (ValueError, TypeError, KeyError) as error:
            raise UnavailableError("No token could be requested: the response of the server is none.") from error

    def _send(self, endpoint: str, scope: str) -> tuple[Response, bytes]:
        headers = {"accept": "application/json", "content-type": "application/x-www-form-urlencoded"}
        form = {"grant_type": "client_credentials", "scope": scope}
        if self._signer:
            form["client_id"] = self._client_id
            form["client_assertion_type"] = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
            form["client_assertion"] = self._assertion(self._signer)
        else:
            # RFC 6749 §2.3.1 encodes both before they are joined.
            pair = f"{quote_plus(self._client_id)}:{quote_plus(self._client_secret or '')}"
            headers["authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
        if self.dpop:
            headers["dpop"] = self.dpop.proof("POST", endpoint)
        request = Request("POST", endpoint, headers, _TIMEOUT_SECONDS, urlencode(form).encode())
        response = self._transport.send(request)
        if self.dpop:
            self.dpop.observe(endpoint, response)
        return response, response.read()

    def _assertion(self, signer: Signer) -> str:
        now = int(time.time())
        claims = {"iss": self._client_id, "sub": self._client_id, "aud": self._issuer}
        return signer.sign({"kid": self._kid}, {**claims, "jti": str(uuid.uuid4()), "iat": now, "exp": now + 60})

    def _token_of(self, response: Response, body: bytes, requested_at: float) -> AccessToken:
        if response.status >= 500:
            raise UnavailableError(f"The token endpoint responded {response.status}.")
        if response.status != 200:
            raise ApiError(response.status, response.headers, body)
        members = parsed(body)
        value, seconds = members["access_token"], members["expires_in"]
        # A client that does not prove its key would use a bound token for nothing, and the reverse.
        if str(members["token_type"]).lower() != ("dpop" if self.dpop else "bearer"):
            raise ValueError("token_type is another one")
        if not re.fullmatch(r"[\x21-\x7e]+", value) or not seconds > 0:
            raise ValueError("no token")
        expires_at = requested_at + seconds
        return AccessToken(value, expires_at, expires_at - _REFRESH_AHEAD_SECONDS)

    def _discover(self) -> str:
        """Reads the server's metadata once (RFC 8414). A failure is not cached."""
        url = f"{self._issuer}/.well-known/oauth-authorization-server"
        response = self._transport.send(Request("GET", url, {"accept": "application/json"}, _TIMEOUT_SECONDS))
        if response.status != 200:
            raise UnavailableError(f"{url} responded {response.status}.")
        metadata = parsed(response.read())
        endpoint = str(metadata["token_endpoint"])
        if metadata["issuer"] != self._issuer:
            raise UnavailableError(f"{self._issuer} says that it is another issuer: {metadata['issuer']!r}")
        if not endpoint.startswith("https://") and not (is_loopback(self._issuer) and is_loopback(endpoint)):
            raise UnavailableError("The token endpoint is no https address.")
        self._token_endpoint = endpoint
        return endpoint

    def __repr__(self) -> str:
        return f"<AccessTokens of {self._client_id}>"
