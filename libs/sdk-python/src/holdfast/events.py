"""The event feed of the organization."""

from __future__ import annotations

import threading
from typing import Callable, Literal, Protocol, Sequence

from .client import Holdfast
from .errors import ApiError, UnavailableError
from .types import Event, EventPage, EventType


class CursorStore(Protocol):
    """Where a consumer keeps its place in the feed: a row of your database, best in that which ``apply`` writes to."""

    def load(self) -> str | None:
        """None before the first event."""
        ...

    def save(self, cursor: str) -> None: ...


def follow_events(
    holdfast: Holdfast,
    *,
    cursor: CursorStore,
    apply: Callable[[Event], object],
    read_again: Callable[[], object],
    types: Sequence[EventType] | None = None,
    poll_interval_seconds: float = 5.0,
    stop: threading.Event | None = None,
) -> None:
    """Applies the events of the organization, one after the other, each at least once, until ``stop`` is set.

    Those of one customer come in their order. An outage of Holdfast is waited out. One process reads at a time.

    :param apply: applies an event. It may come again after your process has ended in between, with the same ``id``.
        When this raises, ``follow_events`` ends with that error, and the next call begins at this page again
    :param read_again: the place is older than what the feed keeps, or the operator has restored a backup: read the
        current state from the API. Afterwards the feed is read from its oldest event
    :param types: only events of these types
    :param poll_interval_seconds: between two reads when nothing is left
    :param stop: ends it after the event in progress
    """
    ending = stop or threading.Event()
    place = cursor.load()
    while not ending.is_set():
        page = _next(holdfast, place, types)
        if page == "expired":
            read_again()
            place = None
            continue
        for event in page["items"] if page else ():
            if ending.is_set():
                return
            apply(event)
        following = page.get("nextPageToken") if page else None
        if following is not None and following != place:
            cursor.save(following)
            place = following
        if not page or not page["hasMore"]:
            ending.wait(poll_interval_seconds)


def _next(
    holdfast: Holdfast, place: str | None, types: Sequence[EventType] | None
) -> EventPage | Literal["expired"] | None:
    """None when Holdfast cannot answer now."""
    try:
        return holdfast.list_events(limit=200, next_page_token=place, types=",".join(types) if types else None)
    except UnavailableError:
        return None
    except ApiError as error:
        if error.code == "page_token_expired":
            return "expired"
        if error.status == 429:
            return None
        raise
