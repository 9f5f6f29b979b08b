from __future__ import annotations

import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from typing import cast
from unittest.mock import patch

from holdfast import ApiError, Holdfast, HoldfastError, PrivateKey, Request, Response, UnavailableError, each_item
from support import BASE_URL, HAS_CRYPTOGRAPHY, NEEDS_CRYPTOGRAPHY, FakeServer, cut_off, problem, reply

OFFER = {"subject": "s", "claimUrl": "u"}
SOON = {"retry-after": "0"}


class Calls(unittest.TestCase):
    def test_sends_path_query_and_body_with_a_token_for_its_operation(self) -> None:
        none = reply(None, 204)
        server = FakeServer(reply(OFFER, 201), reply({"items": [], "hasMore": False}), none, none)
        with server.client() as holdfast:
            self.assertEqual(holdfast.create_offer(body={"offerExpiresIn": 60}), OFFER)
            self.assertEqual(holdfast.list_subjects(claimed=False, limit=7), {"items": [], "hasMore": False})
            holdfast.withdraw_offer("a/b")
            holdfast.erase_subject("s", idempotency_key="mine", request_id="r")
        self.assertTrue(server.is_closed)
        self.assertEqual(
            server.lines(),
            [
                "POST /o/acme/api/credentials/offers",
                "GET /o/acme/api/credentials/subjects?claimed=false&limit=7",
                "DELETE /o/acme/api/credentials/offers/a%2Fb",
                "DELETE /o/acme/api/credentials/subjects/s",
            ],
        )
        self.assertEqual([request.body for request in server.sent], [b'{"offerExpiresIn": 60}', None, None, None])
        self.assertEqual(server.scopes, ["offers:write", "issued:read", "issued:manage"])
        authorizations = [request.headers["authorization"] for request in server.sent]
        self.assertEqual(authorizations, [f"Bearer token-{number}" for number in (1, 2, 1, 3)])
        self.assertEqual(server.keys()[1], None)
        self.assertEqual(server.keys()[3], "mine")
        self.assertEqual(server.sent[3].headers["x-request-id"], "r")

    def test_does_not_send_a_request_whose_path_has_no_name(self) -> None:
        for offer_id in ("", "..", cast(str, None)):
            server = FakeServer()
            with self.assertRaises(ValueError):
                server.client().get_offer(offer_id)
            self.assertEqual(server.sent, [])

    def test_raises_the_code_of_a_problem_and_does_not_repeat_what_was_rejected(self) -> None:
        server = FakeServer(problem(409, "invalid_state", {"X-Request-Id": "r1"}))
        with self.assertRaises(ApiError) as caught:
            server.client().create_offer()
        error = caught.exception
        self.assertEqual((error.status, error.code, error.request_id), (409, "invalid_state", "r1"))
        self.assertEqual(len(server.sent), 1)

    def test_repeats_with_the_same_key_what_could_not_be_answered(self) -> None:
        server = FakeServer(
            problem(503, "unavailable", SOON),
            cut_off,
            problem(429, "rate_limited", SOON),
            problem(409, "idempotency_in_progress", SOON),
            reply(OFFER, 201),
        )
        self.assertEqual(server.client().create_offer(), OFFER)
        self.assertEqual(len(server.sent), 5)
        self.assertEqual(len(set(server.keys())), 1)

    def test_does_not_repeat_a_change_without_a_key_whose_outcome_is_unknown(self) -> None:
        for responder in (problem(503, "unavailable", SOON), cut_off):
            server = FakeServer(responder)
            with self.assertRaises(UnavailableError):
                server.client().poll_ssf_stream("s", body={"ack": ["j"]})
            self.assertEqual(len(server.sent), 1)

    def test_ends_after_its_repeats(self) -> None:
        server = FakeServer(*[problem(503, "unavailable", SOON)] * 5)
        with self.assertRaises(UnavailableError):
            server.client().list_subjects()
        self.assertEqual(server.responders, [])

    def test_does_not_wait_for_longer_than_half_a_minute_and_says_how_long_holdfast_asks_for(self) -> None:
        with self.assertRaises(UnavailableError) as caught:
            FakeServer(problem(503, "unavailable", {"Retry-After": "3600"})).client().list_subjects()
        self.assertEqual(caught.exception.retry_after_seconds, 3600)

    def test_waits_until_the_date_of_retry_after(self) -> None:
        server = FakeServer(problem(503, "unavailable", {"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}), reply(OFFER))
        began = time.monotonic()
        self.assertEqual(server.client().create_offer(), OFFER)
        self.assertLess(time.monotonic() - began, 1)

    def test_deadline_ends_the_call_before_a_wait_that_exceeds_it(self) -> None:
        server = FakeServer(problem(503, "unavailable", {"retry-after": "20"}))
        began = time.monotonic()
        with self.assertRaises(UnavailableError):
            server.client().list_subjects(deadline_seconds=0.5)
        self.assertLess(time.monotonic() - began, 5)
        self.assertLessEqual(server.sent[0].timeout_seconds, 0.5)

    def test_gets_another_token_after_a_401_and_one_with_the_scopes_that_a_403_names_once(self) -> None:
        def challenge(error: str, more: str = "") -> dict[str, str]:
            return {"WWW-Authenticate": f'Bearer error="{error}"{more}'}

        denied = problem(401, "invalid_token", challenge("invalid_token"))
        further = problem(403, "insufficient_scope", challenge("insufficient_scope", ', scope="issued:manage"'))
        server = FakeServer(denied, reply(OFFER), further, reply(OFFER), denied, denied)
        holdfast = server.client()
        self.assertEqual(holdfast.create_offer(), OFFER)
        self.assertEqual(holdfast.create_offer(body={}), OFFER)
        with self.assertRaises(ApiError) as caught:
            holdfast.create_offer()
        self.assertEqual(caught.exception.code, "invalid_token")
        self.assertEqual(
            server.scopes, ["offers:write", "offers:write", "offers:write issued:manage", "offers:write"]
        )
        self.assertEqual(len(server.sent), 6)

    def test_requests_both_operations_at_once_for_an_offer_to_a_known_customer(self) -> None:
        server = FakeServer(reply(OFFER, 201))
        server.client().create_offer(body={"subject": "s"})
        self.assertEqual(server.scopes, ["offers:write issued:manage"])

    def test_shares_one_request_for_a_token_among_threads(self) -> None:
        server = FakeServer(*[reply(OFFER)] * 20)
        holdfast = server.client()
        send = server.send

        def slowly(request: Request) -> Response:
            time.sleep(0.02)
            return send(request)

        with patch.object(server, "send", slowly), ThreadPoolExecutor(20) as pool:
            offers = list(pool.map(lambda _: holdfast.create_offer(), range(20)))
        self.assertEqual(offers, [OFFER] * 20)
        self.assertEqual(server.scopes, ["offers:write"])

    def test_replaces_a_token_in_the_background_before_it_ends(self) -> None:
        server = FakeServer(*[reply(OFFER)] * 4)
        holdfast = server.client()
        now = [1000.0]
        holdfast._sender._tokens._now = lambda: now[0]
        for now[0] in (1000.0, 1400.0, 1500.0):
            holdfast.create_offer()
        for _ in range(200):
            if len(server.scopes) == 2:
                break
            time.sleep(0.01)
        now[0] = 1501.0
        holdfast.create_offer()
        authorizations = [request.headers["authorization"] for request in server.sent]
        self.assertEqual(authorizations[:3], ["Bearer token-1"] * 3)
        self.assertEqual(authorizations[3], "Bearer token-2")

    def test_request_returns_the_headers_too(self) -> None:
        server = FakeServer(reply({"name": "shop"}, 200, {"ETag": '"7"'}), reply({"name": "shop"}))
        holdfast = server.client()
        app = holdfast.request(holdfast.get_app, "app_2")
        self.assertEqual((app.data["name"], app.status, app.headers["etag"]), ("shop", 200, '"7"'))
        holdfast.update_app("app_2", body={"name": "s"}, if_match=app.headers["etag"])
        self.assertEqual(server.sent[1].headers["if-match"], '"7"')

    def test_what_is_no_json_is_an_error_of_this_package(self) -> None:
        with self.assertRaises(HoldfastError):
            FakeServer(lambda _: Response(200, {}, b"<html>")).client().list_subjects()


class Streams(unittest.TestCase):
    def test_fetch_sends_a_token_to_no_other_host(self) -> None:
        server = FakeServer(lambda _: Response(200, {}, b"data: 1\n\n"))
        holdfast = server.client()
        with holdfast.fetch("/o/acme/api/admin/audit/stream?after=1", "audit:read") as response:
            self.assertEqual(list(response), [b"data: 1\n", b"\n"])
        for path in ("https://evil.example/", "//evil.example/", "http://id.example/", "https://id.example:444/"):
            with self.assertRaises(ValueError):
                holdfast.fetch(path, "audit:read")
        self.assertEqual(server.lines(), ["GET /o/acme/api/admin/audit/stream?after=1"])
        self.assertTrue(server.sent[0].is_stream)


class Options(unittest.TestCase):
    def test_plain_http_is_for_this_machine_only(self) -> None:
        for url in ("http://id.example", "ftp://id.example", "id.example", "https://u:p@id.example"):
            with self.assertRaises(ValueError):
                Holdfast(base_url=url, organization="acme", client_id="app_1", client_secret="s")
        for host in ("localhost:8080", "127.0.0.1", "[::1]:1", "id.localhost"):
            Holdfast(base_url=f"http://{host}", organization="acme", client_id="app_1", client_secret="s")

    def test_an_app_has_either_a_secret_or_a_key(self) -> None:
        for secret in (None, ""):
            with self.assertRaises(TypeError):
                Holdfast(base_url=BASE_URL, organization="acme", client_id="app_1", client_secret=secret)

    def test_no_text_shows_a_secret_or_a_token(self) -> None:
        server = FakeServer(cut_off, problem(401, "invalid_token", {}), reply(OFFER))
        holdfast = server.client(max_repeats=0)
        texts = [repr(holdfast), repr(PrivateKey("the-secret", "k")), repr(vars(holdfast._sender))]
        for _ in range(2):
            with self.assertRaises(HoldfastError) as caught:
                holdfast.list_subjects()
            texts += [repr(caught.exception), str(caught.exception), repr(caught.exception.__cause__)]
        texts += [repr(request) for request in server.sent + server.token_requests]
        self.assertNotIn("the-secret", "".join(texts))
        self.assertNotIn("token-1", "".join(texts))


@unittest.skipUnless(HAS_CRYPTOGRAPHY, NEEDS_CRYPTOGRAPHY)
class Keys(unittest.TestCase):
    def test_a_private_key_signs_an_assertion_for_each_token(self) -> None:
        from holdfast._jose import Signer, is_signed, split_token
        from urllib.parse import parse_qs

        signer = Signer.generate()
        server = FakeServer(reply(OFFER), reply({"items": [], "hasMore": False}))
        key = PrivateKey(signer._key, "k1")
        holdfast = server.client(client_secret=None, private_key=key)
        holdfast.create_offer()
        holdfast.list_subjects()
        forms = [parse_qs((request.body or b"").decode()) for request in server.token_requests]
        tokens = [split_token(form["client_assertion"][0]) for form in forms]
        for header, claims, signed, signature in tokens:
            self.assertEqual((header["alg"], header["kid"]), ("ES256", "k1"))
            self.assertEqual((claims["iss"], claims["sub"], claims["aud"]), ("app_1", "app_1", BASE_URL))
            self.assertLessEqual(claims["exp"] - time.time(), 300)
            self.assertTrue(is_signed("ES256", signer.public_jwk, signed, signature))
        self.assertEqual(len({claims["jti"] for _, claims, _, _ in tokens}), 2)
        self.assertNotIn("authorization", server.token_requests[0].headers)

    def test_dpop_proves_each_request_and_follows_the_nonce_of_the_server(self) -> None:
        from holdfast._jose import hash_of, is_signed, split_token

        nonce = {"www-authenticate": 'DPoP error="use_dpop_nonce"', "dpop-nonce": "n1"}
        server = FakeServer(problem(401, "use_dpop_nonce", nonce), reply(OFFER))
        server.client(dpop=True).create_offer()
        proofs = [split_token(request.headers["dpop"]) for request in server.sent]
        for header, claims, signed, signature in proofs:
            self.assertEqual((header["typ"], claims["htm"], claims["ath"]), ("dpop+jwt", "POST", hash_of("token-1")))
            self.assertEqual(claims["htu"], f"{BASE_URL}/o/acme/api/credentials/offers")
            self.assertTrue(is_signed("ES256", header["jwk"], signed, signature))
        self.assertEqual([claims.get("nonce") for _, claims, _, _ in proofs], [None, "n1"])
        self.assertEqual(server.sent[1].headers["authorization"], "DPoP token-1")
        self.assertEqual(server.scopes, ["offers:write"])
        self.assertIn("dpop", server.token_requests[0].headers)


class Lists(unittest.TestCase):
    def test_each_item_yields_the_items_of_all_pages_and_reads_no_page_that_is_not_needed(self) -> None:
        pages = [
            {"items": ["a", "b"], "hasMore": True, "nextPageToken": "second"},
            {"items": [], "hasMore": True, "nextPageToken": "third"},
            {"items": ["c"], "hasMore": False},
        ]
        server = FakeServer(*[reply(page) for page in pages], reply(pages[0]))
        holdfast = server.client()
        self.assertEqual(list(each_item(holdfast.list_subjects, limit=2)), ["a", "b", "c"])
        self.assertEqual(next(each_item(holdfast.list_subjects)), "a")
        queries = [line.partition("?")[2] for line in server.lines()]
        self.assertEqual(queries, ["limit=2", "limit=2&next_page_token=second", "limit=2&next_page_token=third", ""])
