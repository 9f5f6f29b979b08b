"""The errors of this package."""

from __future__ import annotations

import json
from typing import Any, Mapping


class HoldfastError(Exception):
    """Every error of this package, except for wrong arguments (``TypeError`` and ``ValueError``)."""


class ApiError(HoldfastError):
    """Holdfast rejected the request. Branch on ``code``; ``detail`` is for people."""

    def __init__(
        self, status: int, headers: Mapping[str, str], body: bytes, *, retry_after_seconds: float | None = None
    ) -> None:
        members = _members_of(body)
        texts = {name: value for name, value in members.items() if isinstance(value, str)}
        #: The HTTP status.
        self.status = status
        #: A code of the API reference (``ErrorCode``); of the token endpoint an error of RFC 6749, such as
        #: ``invalid_client``.
        self.code: str = texts.get("code") or texts.get("error") or f"http_{status}"
        self.detail: str = texts.get("detail") or texts.get("error_description") or texts.get("title") or ""
        #: Names the request in logs and in the audit log.
        self.request_id = headers.get("x-request-id")
        #: The whole problem (RFC 9457), a ``types.Problem``; None when the body was something else.
        self.problem: dict[str, Any] | None = members if "code" in texts else None
        #: How long Holdfast asks to wait, as after ``rate_limited``.
        self.retry_after_seconds = retry_after_seconds
        super().__init__(f"{status} {self.code}: {self.detail}" if self.detail else f"{status} {self.code}")


class UnavailableError(HoldfastError):
    """There was no response in time, or one that says to try again later, and the repeats had no success either.

    Whether a change was made is unknown; the same call with the same ``idempotency_key`` changes nothing twice.
    """

    def __init__(self, message: str, *, retry_after_seconds: float | None = None) -> None:
        super().__init__(message)
        #: How long Holdfast asks to wait.
        self.retry_after_seconds = retry_after_seconds


class VerificationError(HoldfastError):
    """A webhook, logout token, ID token or security event that must not be trusted. Its text says why."""


def _members_of(body: bytes) -> dict[str, Any]:
    try:
        members = json.loads(body)
    except ValueError:
        return {}
    return members if isinstance(members, dict) else {}
