"""Tokens that Holdfast sends to an app. This needs the extra ``crypto``."""

from __future__ import annotations

import hmac
import threading
import time
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, Mapping, Sequence

from ._addresses import require_secure
from ._jose import is_signed, parsed, require_cryptography, split_token
from .errors import UnavailableError, VerificationError
from .transport import HttpTransport, Request, Transport

_LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout"
_ALGORITHMS = {"RS256": "RSA", "ES256": "EC"}
_KEYS_TIMEOUT_SECONDS = 5.0
_KEYS_MAX_AGE_SECONDS = 600.0
#: Between two loads of the keys because a token names one that is not known, which anybody can send.
_KEYS_PAUSE_SECONDS = 30.0


@dataclass(frozen=True)
class EndedSession:
    """The session that was ended; without ``sid`` all sessions of that customer or person at this app."""

    issuer: str
    subject: str | None
    sid: str | None
    #: Accept each one once: keep it until ``expires_at``.
    jti: str
    expires_at: datetime


class TokenVerifier:
    """Verifies what Holdfast sends to an app. One for each issuer and app: it keeps the issuer's public keys.

    :param issuer: the organization's issuer, such as ``https://id.example/o/acme``
    :param client_id: the app's client ID; of security events the receiver's
    :raises ValueError: when ``issuer`` is http on another machine
    :raises ImportError: when the extra ``crypto`` is not installed
    """

    def __init__(self, *, issuer: str, client_id: str, transport: Transport | None = None) -> None:
        require_secure("issuer", issuer)
        require_cryptography()
        self.issuer = issuer
        self.client_id = client_id
        self._transport = transport or HttpTransport()
        self._lock = threading.Lock()
        self._keys: list[Mapping[str, Any]] = []
        self._loaded_at = float("-inf")

    def id_token(self, token: str, *, nonce: str | None = None, max_age_seconds: int | None = None) -> dict[str, Any]:
        """Verifies an ID token (OpenID Connect Core 1.0 §3.1.3.7), and returns its claims.

        :param nonce: that of the authorization request. Without one, none may be in the token
        :param max_age_seconds: the ``max_age`` of the authorization request
        :raises VerificationError:
        :raises UnavailableError: when the keys cannot be loaded
        """
        claims = self._verify(token, ("jwt", ""), ("sub", "iat", "exp"), clock_tolerance_seconds=5)
        if not _is_text(claims["sub"]):
            raise VerificationError("sub is no text.")
        given = claims.get("nonce")
        if nonce is None and given is not None:
            raise VerificationError("The token has a nonce, and none was given.")
        if nonce is not None and not (isinstance(given, str) and hmac.compare_digest(given.encode(), nonce.encode())):
            raise VerificationError("nonce is that of another sign-in.")
        if "azp" in claims and claims["azp"] != self.client_id:
            raise VerificationError("azp is another app.")
        if max_age_seconds is not None:
            if not _is_number(claims.get("auth_time")) or claims["auth_time"] < time.time() - max_age_seconds - 5:
                raise VerificationError("The person has shown their passkey too long ago.")
        return claims

    def logout_token(self, token: str) -> EndedSession:
        """Verifies a logout token (OpenID Connect Back-Channel Logout 1.0 §2.6).

        :raises VerificationError: respond 400
        :raises UnavailableError: when the keys cannot be loaded: respond 503, and Holdfast sends it again
        """
        required = ("iat", "exp", "jti", "events")
        claims = self._verify(token, ("logout+jwt",), required, clock_tolerance_seconds=30, max_age_seconds=300)
        subject, sid, events = claims.get("sub"), claims.get("sid"), claims["events"]
        if "nonce" in claims:
            raise VerificationError("A logout token has no nonce.")
        if not isinstance(events, dict) or not isinstance(events.get(_LOGOUT_EVENT), dict):
            raise VerificationError(f"It has no {_LOGOUT_EVENT}.")
        if subject is None and sid is None:
            raise VerificationError("It has neither sub nor sid.")
        if not all(value is None or _is_text(value) for value in (subject, sid)) or not _is_text(claims["jti"]):
            raise VerificationError("sub, sid and jti are texts.")
        expires_at = datetime.fromtimestamp(claims["exp"], timezone.utc)
        return EndedSession(self.issuer, subject, sid, claims["jti"], expires_at)

    def security_event(self, token: str) -> dict[str, Any]:
        """Verifies a security event token of Shared Signals (RFC 8417), and returns its claims.

        ``events`` has one event, under its URI; ``sub_id`` says whom it is about.

        :raises VerificationError:
        :raises UnavailableError: when the keys cannot be loaded
        """
        claims = self._verify(token, ("secevent+jwt",), ("jti", "iat", "sub_id", "events"))
        if not isinstance(claims["sub_id"], dict) or not isinstance(claims["events"], dict):
            raise VerificationError("sub_id and events are no objects.")
        if not _is_text(claims["jti"]):
            raise VerificationError("jti is no text.")
        return claims

    def close(self) -> None:
        self._transport.close()

    def __repr__(self) -> str:
        return f"<TokenVerifier of {self.client_id} at {self.issuer}>"

    def _verify(
        self,
        token: str,
        types: Sequence[str],
        required: Sequence[str],
        *,
        clock_tolerance_seconds: float = 0,
        max_age_seconds: float | None = None,
    ) -> dict[str, Any]:
        header, claims, signed, signature = split_token(token)
        alg = header.get("alg")
        if alg not in _ALGORITHMS:
            raise VerificationError("alg is neither RS256 nor ES256.")
        if "crit" in header or "b64" in header:
            raise VerificationError("The header has an extension that is not known.")
        typ = header.get("typ", "")
        if not isinstance(typ, str) or typ.lower().removeprefix("application/") not in types:
            raise VerificationError("typ is another one: the token is for something else.")
        if not is_signed(str(alg), self._key_for(header.get("kid"), str(alg)), signed, signature):
            raise VerificationError("The signature is wrong.")
        missing = [name for name in required if name not in claims]
        if missing:
            raise VerificationError(f"{missing[0]} is missing.")
        if claims.get("iss") != self.issuer:
            raise VerificationError("iss is another issuer.")
        audience = claims.get("aud")
        if self.client_id not in (audience if isinstance(audience, list) else [audience]):
            raise VerificationError("aud is another app.")
        _check_times(claims, clock_tolerance_seconds, max_age_seconds)
        return claims

    def _key_for(self, kid: object, alg: str) -> Mapping[str, Any]:
        now = time.monotonic()
        with self._lock:
            age = now - self._loaded_at
            if age > _KEYS_MAX_AGE_SECONDS:
                self._load()
            matching = self._matching(kid, alg)
            if not matching and age > _KEYS_PAUSE_SECONDS and self._loaded_at < now:
                self._load()
                matching = self._matching(kid, alg)
        if len(matching) != 1:
            raise VerificationError("No key of the issuer, or several, have the kid of the token.")
        return matching[0]

    def _matching(self, kid: object, alg: str) -> list[Mapping[str, Any]]:
        def matches(key: Mapping[str, Any]) -> bool:
            return (
                (kid is None or key.get("kid") == kid)
                and key.get("kty") == _ALGORITHMS[alg]
                and key.get("alg", alg) == alg
                and key.get("use", "sig") == "sig"
            )

        return [key for key in self._keys if matches(key)]

    def _load(self) -> None:
        url = f"{self.issuer}/jwks"
        try:
            response = self._transport.send(Request("GET", url, {"accept": "application/json"}, _KEYS_TIMEOUT_SECONDS))
            body = response.read()
            if response.status != 200:
                raise UnavailableError(f"The keys of {self.issuer} could not be loaded: {response.status}")
            keys = parsed(body)["keys"]
            self._keys = [key for key in keys if isinstance(key, dict)]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise UnavailableError(f"The keys of {self.issuer} could not be loaded: {error}") from error
        self._loaded_at = time.monotonic()


def _check_times(claims: Mapping[str, Any], tolerance_seconds: float, max_age_seconds: float | None) -> None:
    now = time.time()
    if not all(_is_number(claims[name]) for name in ("exp", "iat", "nbf") if name in claims):
        raise VerificationError("exp, iat and nbf are numbers.")
    if "exp" in claims and claims["exp"] <= now - tolerance_seconds:
        raise VerificationError("It has expired.")
    if "nbf" in claims and claims["nbf"] > now + tolerance_seconds:
        raise VerificationError("It is not valid yet.")
    if max_age_seconds is not None:
        if claims["iat"] < now - max_age_seconds - tolerance_seconds:
            raise VerificationError("It was issued too long ago.")
        if claims["iat"] > now + tolerance_seconds:
            raise VerificationError("It was issued in the future.")


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e12


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value != ""
