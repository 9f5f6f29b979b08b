"""Messages of webhooks (Standard Webhooks 1.0)."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import time
from datetime import datetime
from typing import Any, Mapping, Sequence, cast

from ._jose import is_signed, parsed
from .errors import VerificationError
from .types import WebhookEvent

#: The timestamp is that of the attempt, not of the event.
_TOLERANCE_SECONDS = 300


def verify_webhook(
    body: bytes | str,
    headers: Mapping[str, Any],
    *,
    secret: str | Sequence[str] = (),
    jwks: Mapping[str, Any] | None = None,
    now: datetime | None = None,
) -> WebhookEvent:
    """Verifies a message and returns its event.

    :param body: the bytes that arrived, or their text: not JSON that was parsed and written again
    :param headers: those of the request; the case of names does not matter
    :param secret: of the endpoint, ``whsec_…``. During a rotation both
    :param jwks: of the organization, from ``/o/{shortId}/webhooks/jwks``, for an endpoint that signs with ``v1a``. It
        needs the extra ``crypto``
    :param now: by default the current time
    :raises VerificationError: when it is not from Holdfast, was changed, or is older than five minutes: respond 401
    """
    message_id, timestamp, signatures = (
        _header(headers, f"webhook-{name}") for name in ("id", "timestamp", "signature")
    )
    at = time.time() if now is None else now.timestamp()
    if not re.fullmatch(r"\d{1,15}", timestamp, re.ASCII) or abs(at - int(timestamp)) > _TOLERANCE_SECONDS:
        raise VerificationError("webhook-timestamp is more than five minutes from now.")
    content = body.encode() if isinstance(body, str) else bytes(body)
    signed = f"{message_id}.{timestamp}.".encode() + content
    secrets = [secret] if isinstance(secret, str) else list(secret)
    keys = list(jwks["keys"]) if jwks else []
    for one in signatures.split(" "):
        version, _, value = one.partition(",")
        signature = _bytes_of(value)
        if signature is None:
            continue
        if version == "v1" and any(_is_signed_by_secret(given, signature, signed) for given in secrets):
            return _event_of(content, message_id)
        if version == "v1a" and any(is_signed("EdDSA", key, signed, signature) for key in keys):
            return _event_of(content, message_id)
    raise VerificationError("No signature of webhook-signature is one of the given secrets or keys.")


def _header(headers: Mapping[str, Any], name: str) -> str:
    # Each framework has another type: some know names in any case, some keep several values.
    values = [value for key, value in headers.items() if str(key).lower() == name]
    if len(values) != 1 or not isinstance(values[0], str):
        raise VerificationError(f"The header {name} is missing, or there are several.")
    return values[0]


def _is_signed_by_secret(secret: str, signature: bytes, signed: bytes) -> bool:
    key = _bytes_of(secret.removeprefix("whsec_"))
    return bool(key) and hmac.compare_digest(hmac.digest(key or b"", signed, hashlib.sha256), signature)


def _bytes_of(text: str) -> bytes | None:
    """None for text that is no Base64."""
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:
        return None


def _event_of(content: bytes, message_id: str) -> WebhookEvent:
    try:
        event = parsed(content)
    except (ValueError, RecursionError) as error:
        raise VerificationError("The body is no JSON.") from error
    if event.get("id") != message_id:
        raise VerificationError("The body is no event with the id of webhook-id.")
    return cast(WebhookEvent, event)
