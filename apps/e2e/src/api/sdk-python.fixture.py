"""What sdk-python.spec.ts does with the installed client and the examples of its README.

``python3 sdk-python.fixture.py STEP`` reads JSON from its standard input, and prints JSON.
"""

from __future__ import annotations

import json
import os
import random
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable

from holdfast import (
    ApiError,
    Holdfast,
    HttpTransport,
    PrivateKey,
    Request,
    Response,
    TokenVerifier,
    each_item,
    follow_events,
)

Given = dict[str, Any]


def client(**more: Any) -> Holdfast:
    options: dict[str, Any] = {
        "base_url": os.environ["HOLDFAST_URL"],
        "organization": os.environ["ORGANIZATION"],
        "client_id": os.environ["CLIENT_ID"],
        "client_secret": os.environ["CLIENT_SECRET"],
        **more,
    }
    return Holdfast(**options)


class Lossy:
    """Sends each request, and loses some of the responses on their way back."""

    def __init__(self, is_lost: Callable[[Request], bool]) -> None:
        self._transport = HttpTransport()
        self._is_lost = is_lost
        self.lost = 0
        self._lock = threading.Lock()

    def send(self, request: Request) -> Response:
        with self._lock:
            is_lost = self._is_lost(request)
        response = self._transport.send(request)
        if is_lost:
            self.lost += 1
            response.close()
            raise ConnectionResetError("the connection was reset")
        return response

    def close(self) -> None:
        self._transport.close()


def lost_responses(given: Given) -> Given:
    generator = random.Random(given["seed"])
    transport = Lossy(lambda _: generator.random() < 0.3)
    with client(transport=transport, max_repeats=20) as holdfast, ThreadPoolExecutor(8) as pool:
        before = {customer["subject"] for customer in each_item(holdfast.list_subjects)}
        subjects = [offer["subject"] for offer in pool.map(lambda _: holdfast.create_offer(), range(30))]
        list(pool.map(holdfast.erase_subject, subjects[:10]))
        after = [customer["subject"] for customer in each_item(holdfast.list_subjects, limit=7)]
    kept = sorted(subject for subject in after if subject not in before)
    return {"kept": kept, "expected": sorted(subjects[10:]), "lost": transport.lost}


def killed(given: Given) -> None:
    """Ends the process when the response to the offer has arrived, before anything is done with it."""

    def end(request: Request) -> bool:
        if not request.url.endswith("/offers"):
            return False
        HttpTransport().send(request)
        os._exit(9)

    from offer_for import offer_for

    offer_for(client(transport=Lossy(end)), given["order"])


def repeated(given: Given) -> list[str]:
    from offer_for import offer_for

    with client() as holdfast:
        offers = [offer_for(holdfast, given["order"]) for _ in range(2)]
        all_subjects = [customer["subject"] for customer in each_item(holdfast.list_subjects)]
        assert offers[0] and offers[0] == offers[1]
        assert offer_for(holdfast, f"{given['order']}-2", "5b0c9f0e-3f0a-4c39-9a35-6d3c1f5d7a10") is None
    return all_subjects


def codes(given: Given) -> list[str]:
    def code_of(call: Callable[[], object]) -> str:
        try:
            call()
        except ApiError as error:
            return f"{error.status} {error.code}"
        return "no error"

    with client() as holdfast:
        return [
            code_of(lambda: holdfast.get_subject("5b0c9f0e-3f0a-4c39-9a35-6d3c1f5d7a10")),
            code_of(client(client_secret="wrong").list_subjects),
            code_of(client(organization="globex").list_subjects),
            code_of(holdfast.list_groups),
        ]


def keys(given: Given) -> Given:
    key = PrivateKey(given["pem"], given["kid"])
    options = {"client_id": given["clientId"], "client_secret": None, "private_key": key}
    with client(**options, dpop=True) as holdfast, ThreadPoolExecutor(4) as pool:
        pages = list(pool.map(lambda _: holdfast.list_subjects(), range(8)))
    try:
        client(**options).list_subjects()
    except ApiError as error:
        return {"pages": len([page for page in pages if page == pages[0]]), "without_proof": error.status}
    return {}


def offers(given: Given) -> Given:
    from offer_all import offer_all
    from unclaimed import unclaimed

    with client() as holdfast:
        offer = holdfast.create_offer()
        known = holdfast.create_offer()
        holdfast.withdraw_offer(known["offerId"])
        again = holdfast.create_offer(body={"subject": known["subject"]})
        links = offer_all(holdfast, given["accounts"])
        assert offer_all(holdfast, given["accounts"]) == links
        assert again["subject"] == known["subject"] and offer["subject"] in unclaimed(holdfast)
    return {"offer": offer, "links": links}


def webhook(given: Given) -> Given:
    with client() as holdfast:
        return {**holdfast.create_webhook_endpoint(body={"url": given["url"], "types": ["credential.revoked"]})}


def revoke(given: Given) -> Given:
    with client() as holdfast:
        return {"status": holdfast.revoke_credential(given["credentialId"], body={})["status"]}


def received(given: Given) -> list[int]:
    from receive import receive

    body = given["body"].encode()
    changed = body.replace(b"credential.revoked", b"credential.resumed")
    return [receive(body, given["headers"]), receive(changed, given["headers"])]


def events(given: Given) -> list[str]:
    """Follows the feed with the example, from its first event, and again from the place that it has saved."""
    from follow import follow

    stop = threading.Event()
    seen: list[str] = []

    class Place:
        place: str | None = None

        def load(self) -> str | None:
            return self.place

        def save(self, cursor: str) -> None:
            self.place = cursor

    place = Place()

    def apply(event: Any) -> None:
        if event["data"].get("subject") == given["subject"]:
            seen.append(event["type"])
        if event["type"] == given["until"] and event["data"].get("subject") == given["subject"]:
            # The example ends by itself when the page has been applied.
            threading.Timer(0.2, stop.set).start()

    with client() as holdfast:
        options: dict[str, Any] = {"read_again": lambda: None, "stop": stop, "poll_interval_seconds": 0.05}
        follow_events(holdfast, cursor=place, apply=apply, **options)
        assert place.place is not None
        stop.clear()
        threading.Timer(0.5, stop.set).start()
        follow(holdfast, Place(), stop)
    return seen


def tokens(given: Given) -> list[Any]:
    from end_session import end_session

    verifier = TokenVerifier(issuer=given["issuer"], client_id=given["clientId"])
    other = TokenVerifier(issuer=given["issuer"], client_id="app_of_another")
    logout = given["logoutToken"]
    statuses = [end_session(one, logout) for one in (verifier, other)] + [end_session(verifier, given["idToken"])]
    claims = verifier.id_token(given["idToken"], nonce=given["nonce"])
    return [statuses, claims["sub"], verifier.logout_token(logout).sid == claims["sid"]]


def app(given: Given) -> int:
    from rename import rename

    with client() as holdfast:
        rename(holdfast, given["clientId"], "First")
        return rename(holdfast, given["clientId"], "Second")


if __name__ == "__main__":
    printed = sys.stdout
    sys.stdout = sys.stderr  # The examples print for people.
    result = globals()[sys.argv[1]](json.loads(sys.stdin.read() or "{}"))
    print(json.dumps(result), file=printed)
