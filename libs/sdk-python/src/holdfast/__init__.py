"""Client of Holdfast for backends: typed calls, tokens, events, webhooks and the tokens of sign-ins."""

from . import types
from ._access_tokens import PrivateKey
from .bulk import BulkAccount, offer_in_bulk
from .client import Holdfast, Reply
from .errors import ApiError, HoldfastError, UnavailableError, VerificationError
from .events import CursorStore, follow_events
from .lists import each_item
from .transport import HttpTransport, Request, Response, Transport
from .verify_tokens import EndedSession, TokenVerifier
from .version import API_REFERENCE_VERSION, __version__
from .webhooks import verify_webhook

__all__ = [
    "API_REFERENCE_VERSION",
    "ApiError",
    "BulkAccount",
    "CursorStore",
    "EndedSession",
    "Holdfast",
    "HoldfastError",
    "HttpTransport",
    "PrivateKey",
    "Reply",
    "Request",
    "Response",
    "TokenVerifier",
    "Transport",
    "UnavailableError",
    "VerificationError",
    "__version__",
    "each_item",
    "follow_events",
    "offer_in_bulk",
    "types",
    "verify_webhook",
]
