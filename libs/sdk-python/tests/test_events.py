from __future__ import annotations

import threading
import time
import unittest
from urllib.parse import parse_qs, urlsplit

from holdfast import BulkAccount, Request, Response, UnavailableError, follow_events, offer_in_bulk
from support import FakeServer, Responder, problem, reply


class Place:
    def __init__(self, place: str | None, log: list[str]) -> None:
        self.place = place
        self.log = log

    def load(self) -> str | None:
        return self.place

    def save(self, cursor: str) -> None:
        self.place = cursor
        self.log.append(f"saved {cursor}")


def page(ids: list[str], following: str, has_more: bool) -> Responder:
    return reply({"items": [{"id": one} for one in ids], "hasMore": has_more, "nextPageToken": following})


class FollowEvents(unittest.TestCase):
    def test_applies_events_in_order_saves_its_place_waits_out_an_outage_and_starts_again(self) -> None:
        stop = threading.Event()

        def last(_: Request) -> Response:
            stop.set()
            return page(["4"], "fourth", False)(_)

        unavailable = problem(503, "unavailable", {"retry-after": "0"})
        expired = problem(410, "page_token_expired")
        server = FakeServer(
            page(["1", "2"], "second", True), *[unavailable] * 5, expired, page(["3"], "third", False), last
        )
        log: list[str] = []
        follow_events(
            server.client(),
            cursor=Place("first", log),
            apply=lambda event: log.append(event["id"]),
            read_again=lambda: log.append("read again"),
            poll_interval_seconds=0.001,
            stop=stop,
        )
        self.assertEqual(log, ["1", "2", "saved second", "read again", "3", "saved third"])
        tokens = [parse_qs(urlsplit(line.split(" ")[1]).query).get("next_page_token") for line in server.lines()]
        self.assertEqual(tokens, [["first"], *[["second"]] * 6, None, ["third"]])

    def test_ends_with_the_error_of_apply_and_does_not_save_the_place(self) -> None:
        log: list[str] = []

        def apply(_: object) -> None:
            raise KeyError("no such account")

        with self.assertRaises(KeyError):
            follow_events(
                FakeServer(page(["1"], "second", False)).client(),
                cursor=Place(None, log),
                apply=apply,
                read_again=lambda: None,
            )
        self.assertEqual(log, [])


class OfferInBulk(unittest.TestCase):
    def test_makes_an_offer_for_each_account_with_a_key_of_its_id(self) -> None:
        lock = threading.Lock()

        def offer(request: Request) -> Response:
            with lock:
                return reply({"subject": request.headers["idempotency-key"]})(request)

        server = FakeServer(*[offer] * 50)
        saved: dict[str, str] = {}
        accounts = (BulkAccount(f"ä {number}") for number in range(50))
        count = offer_in_bulk(server.client(), accounts, save=lambda a, o: saved.update({a.id: o["subject"]}))
        self.assertEqual((count, len(saved), len(set(saved.values()))), (50, 50, 50))
        self.assertRegex(saved["ä 7"], "^bulk-[0-9a-f]{64}$")
        again = FakeServer(offer)
        offer_in_bulk(again.client(), [BulkAccount("ä 7")], save=lambda a, o: None)
        self.assertEqual(again.keys(), [saved["ä 7"]])

    def test_ends_with_the_first_error_after_saving_what_is_in_flight(self) -> None:
        server = FakeServer(reply({"subject": "a"}), problem(503, "unavailable", {"retry-after": "99"}))
        saved: list[str] = []
        accounts = [BulkAccount(str(number)) for number in range(9)]
        with self.assertRaises(UnavailableError):
            offer_in_bulk(server.client(), accounts, save=lambda a, o: saved.append(a.id), concurrency=1)
        self.assertEqual(saved, ["0"])

    def test_begins_no_further_offers_after_an_error(self) -> None:
        def slowly(request: Request) -> Response:
            time.sleep(0.01)
            return reply({"subject": "a"})(request)

        server = FakeServer(problem(503, "unavailable", {"retry-after": "99"}), *[slowly] * 200)
        accounts = [BulkAccount(str(number)) for number in range(200)]
        with self.assertRaises(UnavailableError):
            offer_in_bulk(server.client(), accounts, save=lambda a, o: None, concurrency=2)
        self.assertLess(len(server.sent), 100)
