"""Offers for many accounts."""

from __future__ import annotations

import hashlib
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Callable, Iterable

from .client import Holdfast
from .types import Offer, OfferRequest


@dataclass(frozen=True)
class BulkAccount:
    #: Its id in your database: the same one gets the same offer again for 24 hours.
    id: str
    offer: OfferRequest | None = None


def offer_in_bulk(
    holdfast: Holdfast,
    accounts: Iterable[BulkAccount],
    *,
    save: Callable[[BulkAccount, Offer], object],
    concurrency: int = 16,
    stop: threading.Event | None = None,
) -> int:
    """Makes an offer for each account, such as those of customers who have a password so far.

    When it ends with an error, or your process is killed, call it again with the accounts that have no ``subject`` yet:
    an offer that was made but not saved is the same again, for 24 hours.

    :param save: stores ``subject`` with the account, and ``claimUrl`` until the message to the customer is sent. It is
        called by one thread at a time
    :param concurrency: offers in flight at once
    :param stop: begins no further offers
    :returns: how many offers were saved
    :raises Exception: the first error, after the offers in flight have been saved
    """
    queue = iter(accounts)
    reading, saving = threading.Lock(), threading.Lock()
    ending = threading.Event()
    saved = 0

    def work() -> None:
        nonlocal saved
        while not ending.is_set() and not (stop and stop.is_set()):
            try:
                with reading:
                    account = next(queue, None)
                if account is None:
                    return
                offer = holdfast.create_offer(body=account.offer, idempotency_key=_key_of(account.id))
                with saving:
                    save(account, offer)
                    saved += 1
            except BaseException:
                ending.set()
                raise

    with ThreadPoolExecutor(concurrency, thread_name_prefix="holdfast-bulk") as pool:
        workers = [pool.submit(work) for _ in range(concurrency)]
    for worker in workers:
        worker.result()
    return saved


def _key_of(account_id: str) -> str:
    """A hash, since an id may be long, have letters that a header cannot have, or say who the customer is."""
    return f"bulk-{hashlib.sha256(account_id.encode()).hexdigest()}"
