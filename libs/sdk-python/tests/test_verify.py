from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
import unittest
from datetime import datetime, timezone
from typing import Any

from holdfast import Request, Response, TokenVerifier, UnavailableError, VerificationError, verify_webhook
from support import BASE_URL, HAS_CRYPTOGRAPHY, NEEDS_CRYPTOGRAPHY, cut_off, reply, token_of

if HAS_CRYPTOGRAPHY:
    from holdfast._jose import Signer, encoded, split_token

SECRET = f"whsec_{base64.b64encode(b'0123456789abcdef0123456789abcdef').decode()}"
OTHER = f"whsec_{base64.b64encode(b'another secret of the endpoint..').decode()}"
NOW = datetime(2026, 11, 21, 9, 41, 12, tzinfo=timezone.utc)
OTHER_BODY = '{"id":"e2"}'
TIMESTAMP = str(int(NOW.timestamp()))
BODY = json.dumps({"id": "e1", "type": "credential.revoked", "data": {"subject": "ü"}}, ensure_ascii=False)
# That of the reference implementation (npm: standardwebhooks) for these bytes.
EXPECTED = "v1,/M2/jvUATuq80jRyxtQ0AmItd0nwl/Ec3krg2XjWWJw="
EVENT = "http://schemas.openid.net/event/backchannel-logout"


def signed(secret: str = SECRET, body: str = BODY) -> str:
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.digest(key, f"e1.{TIMESTAMP}.{body}".encode(), hashlib.sha256)
    return f"v1,{base64.b64encode(digest).decode()}"


def headers_of(**more: Any) -> dict[str, Any]:
    base = {"webhook-id": "e1", "webhook-timestamp": TIMESTAMP, "webhook-signature": EXPECTED}
    return {**base, **{name.replace("_", "-"): value for name, value in more.items()}}


class Webhooks(unittest.TestCase):
    def test_is_accepted_with_the_secret_of_its_endpoint_and_during_a_rotation_with_either(self) -> None:
        self.assertEqual(signed(), EXPECTED)
        for body in (BODY, BODY.encode()):
            for secret in (SECRET, [OTHER, SECRET]):
                self.assertEqual(verify_webhook(body, headers_of(), secret=secret, now=NOW)["id"], "e1")
        several = {"Webhook-Signature": f"v1,AAAA v2,BBBB {EXPECTED}", "Webhook-Id": "e1"}
        several["WEBHOOK-TIMESTAMP"] = TIMESTAMP
        self.assertEqual(verify_webhook(BODY, several, secret=SECRET, now=NOW)["type"], "credential.revoked")

    def test_is_refused_when_anything_differs(self) -> None:
        late, early = (datetime.fromtimestamp(NOW.timestamp() + off, timezone.utc) for off in (301, -301))
        cases: dict[str, tuple[dict[str, Any], str, Any, datetime]] = {
            "another secret": ({}, BODY, OTHER, NOW),
            "no secret": ({}, BODY, (), NOW),
            "an empty secret": ({"webhook_signature": signed("whsec_")}, BODY, "whsec_", NOW),
            "a changed body": ({}, BODY.replace("revoked", "issued"), SECRET, NOW),
            "the body of another message": ({"webhook_signature": signed(body=OTHER_BODY)}, OTHER_BODY, SECRET, NOW),
            "a body that is no object": ({"webhook_signature": signed(body='["e1"]')}, '["e1"]', SECRET, NOW),
            "another id": ({"webhook_id": "e2"}, BODY, SECRET, NOW),
            "another time": ({"webhook_timestamp": str(int(TIMESTAMP) + 1)}, BODY, SECRET, NOW),
            "a time that is no number": ({"webhook_timestamp": "now"}, BODY, SECRET, NOW),
            "a signature that is no Base64": ({"webhook_signature": "v1,*"}, BODY, SECRET, NOW),
            "half a signature": ({"webhook_signature": EXPECTED[:20]}, BODY, SECRET, NOW),
            "no signature": ({"webhook_signature": ""}, BODY, SECRET, NOW),
            "an age of more than five minutes": ({}, BODY, SECRET, late),
            "a time that is more than five minutes ahead": ({}, BODY, SECRET, early),
        }
        for name, (more, body, secret, at) in cases.items():
            with self.subTest(name), self.assertRaises(VerificationError):
                verify_webhook(body, headers_of(**more), secret=secret, now=at)

    def test_is_refused_without_one_of_its_headers_or_with_two(self) -> None:
        for name in ("webhook-id", "webhook-timestamp", "webhook-signature"):
            for value in (None, ["a", "b"]):
                with self.subTest(name), self.assertRaisesRegex(VerificationError, name):
                    verify_webhook(BODY, {**headers_of(), name: value}, secret=SECRET, now=NOW)
            twice = {**headers_of(), name.title(): headers_of()[name]}
            with self.subTest(name), self.assertRaisesRegex(VerificationError, name):
                verify_webhook(BODY, twice, secret=SECRET, now=NOW)

    @unittest.skipUnless(HAS_CRYPTOGRAPHY, NEEDS_CRYPTOGRAPHY)
    def test_is_accepted_with_a_key_of_the_organization_and_with_that_key_alone(self) -> None:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        key, foreign = Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()
        signature = base64.b64encode(key.sign(f"e1.{TIMESTAMP}.{BODY}".encode())).decode()
        headers = headers_of(webhook_signature=f"v1a,{signature}")
        own, other = Signer(key).public_jwk, Signer(foreign).public_jwk
        self.assertEqual(verify_webhook(BODY, headers, jwks={"keys": [other, own]}, now=NOW)["id"], "e1")
        for keys in ([], [other]):
            with self.assertRaises(VerificationError):
                verify_webhook(BODY, headers, secret=SECRET, jwks={"keys": keys}, now=NOW)


class Issuer:
    """Publishes these keys, or fails."""

    def __init__(self, **keys: Signer) -> None:
        self.keys = [{**key.public_jwk, "kid": kid, "use": "sig"} for kid, key in keys.items()]
        self.loads = 0
        self.is_down = False

    def send(self, request: Request) -> Response:
        self.loads += 1
        return cut_off(request) if self.is_down else reply({"keys": self.keys})(request)

    def close(self) -> None:
        pass


@unittest.skipUnless(HAS_CRYPTOGRAPHY, NEEDS_CRYPTOGRAPHY)
class Tokens(unittest.TestCase):
    def setUp(self) -> None:
        self.key, self.other = Signer.generate(), Signer.generate()
        self.issuer = Issuer(k=self.key)
        self.verifier = TokenVerifier(issuer=f"{BASE_URL}/o/acme", client_id="app_1", transport=self.issuer)

    def logout(self, typ: str = "logout+jwt", by: Signer | None = None, **claims: Any) -> str:
        return token_of(by or self.key, typ, {"sub": "c", "sid": "s", "events": {EVENT: {}}, **claims})

    def identity(self, **claims: Any) -> str:
        return token_of(self.key, "JWT", {"sub": "c", "jti": None, "nonce": "n", **claims})

    def test_a_logout_token_names_the_session_that_has_ended(self) -> None:
        ended = self.verifier.logout_token(self.logout())
        self.assertEqual((ended.subject, ended.sid, ended.jti, ended.issuer), ("c", "s", "j", f"{BASE_URL}/o/acme"))
        self.assertGreater(ended.expires_at, datetime.now(timezone.utc))
        self.assertIsNone(self.verifier.logout_token(self.logout(sid=None)).sid)
        self.assertIsNone(self.verifier.logout_token(self.logout(sub=None, typ="application/LOGOUT+jwt")).subject)
        self.assertEqual(self.issuer.loads, 1)

    def test_a_logout_token_that_differs_is_refused(self) -> None:
        past = int(time.time()) - 1000
        cases: dict[str, dict[str, Any]] = {
            "of another issuer": {"iss": f"{BASE_URL}/o/globex"},
            "for another app": {"aud": "app_2"},
            "for other apps": {"aud": ["app_2", "app_3"]},
            "that has expired": {"iat": past, "exp": past + 120},
            "issued too long ago": {"iat": past, "exp": past + 9000},
            "of the future": {"iat": past + 2000},
            "whose exp is no number": {"exp": "9999999999"},
            "whose exp is true": {"exp": True},
            "without exp": {"exp": None},
            "without iat": {"iat": None},
            "without jti": {"jti": None},
            "with a jti that is no text": {"jti": {}},
            "of type JWT, as an ID token is": {"typ": "JWT"},
            "with a nonce": {"nonce": "n"},
            "with another event": {"events": {"https://example.com": {}}},
            "with an event that is no object": {"events": {EVENT: 1}},
            "without events": {"events": None},
            "without sub and sid": {"sub": None, "sid": None},
            "with a sub that is no text": {"sub": 7},
            "signed by another key": {"by": self.other},
        }
        for name, given in cases.items():
            with self.subTest(name), self.assertRaises(VerificationError):
                self.verifier.logout_token(self.logout(**given))

    def test_a_token_without_signature_and_text_that_is_no_token_are_refused(self) -> None:
        header, payload, signature = self.logout().split(".")
        none = encoded(b'{"alg":"none","typ":"logout+jwt"}')
        mac = encoded(b'{"alg":"HS256","typ":"logout+jwt","kid":"k"}')
        claims = {"sub": "c", "events": {EVENT: {}}}
        extended = [{"typ": "logout+jwt", "crit": ["x"], "x": 1}, {"typ": "logout+jwt", "b64": False}]
        broken = [f"{none}.{payload}.", f"{mac}.{payload}.{signature}"]
        claims = {**split_token(self.logout())[1], **claims}
        broken += [self.key.sign({"kid": "k", **header}, claims) for header in extended]
        broken += [f"{header}.{payload}.", f"{header}.{payload}.{signature}=", f"{header}.{payload}.{signature}\n"]
        broken += ["x", "", "a.b", "...", f"{encoded(b'[]')}.{payload}.{signature}", f"{header}.*.{signature}"]
        for token in broken:
            with self.subTest(token), self.assertRaises(VerificationError):
                self.verifier.logout_token(token)

    def test_a_security_event_is_accepted_with_its_type_alone(self) -> None:
        claims = {"sub_id": {"format": "opaque", "id": "c"}, "events": {"https://e": {}}, "exp": None}
        token = token_of(self.key, "secevent+jwt", claims)
        self.assertEqual(self.verifier.security_event(token)["sub_id"], claims["sub_id"])
        for typ, more in (("logout+jwt", {}), ("secevent+jwt", {"sub_id": None}), ("secevent+jwt", {"jti": None})):
            with self.subTest(typ), self.assertRaises(VerificationError):
                self.verifier.security_event(token_of(self.key, typ, {**claims, **more}))
        with self.assertRaises(VerificationError):
            self.verifier.logout_token(token)

    def test_an_id_token_is_accepted_with_the_nonce_of_its_sign_in_alone(self) -> None:
        self.assertEqual(self.verifier.id_token(self.identity(), nonce="n")["sub"], "c")
        self.assertEqual(self.verifier.id_token(self.identity(nonce=None))["sub"], "c")
        now = int(time.time())
        cases: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
            "another nonce": ({}, {"nonce": "m"}),
            "a nonce that was not given": ({}, {}),
            "no nonce": ({"nonce": None}, {"nonce": "n"}),
            "another authorized party": ({"aud": ["app_1", "app_2"], "azp": "app_2"}, {"nonce": "n"}),
            "an iat that is no number": ({"iat": True}, {"nonce": "n"}),
            "no sub": ({"sub": None}, {"nonce": "n"}),
            "an end in the past": ({"exp": now - 10}, {"nonce": "n"}),
            "a passkey that was shown too long ago": ({"auth_time": now - 100}, {"nonce": "n", "max_age_seconds": 60}),
            "no auth_time": ({}, {"nonce": "n", "max_age_seconds": 60}),
        }
        for name, (claims, options) in cases.items():
            with self.subTest(name), self.assertRaises(VerificationError):
                self.verifier.id_token(self.identity(**claims), **options)
        with self.assertRaises(VerificationError):
            self.verifier.id_token(self.logout(), nonce="n")

    def test_rs256_is_accepted_with_a_key_of_rsa_alone(self) -> None:
        from cryptography.hazmat.primitives.asymmetric import rsa

        signer = Signer(rsa.generate_private_key(65537, 2048))
        verifier = TokenVerifier(
            issuer=f"{BASE_URL}/o/acme", client_id="app_1", transport=Issuer(k=self.key, rsa=signer)
        )
        token = token_of(signer, "JWT", {"sub": "c"}, kid="rsa")
        self.assertEqual(verifier.id_token(token)["sub"], "c")
        with self.assertRaises(VerificationError):
            verifier.id_token(token_of(signer, "JWT", {"sub": "c"}, kid="k"))

    def test_is_neither_accepted_nor_refused_while_the_keys_cannot_be_loaded(self) -> None:
        self.issuer.is_down = True
        with self.assertRaises(UnavailableError):
            self.verifier.logout_token(self.logout())
        self.issuer.is_down = False
        self.assertEqual(self.verifier.logout_token(self.logout()).jti, "j")

    def test_unknown_keys_load_the_keys_of_the_issuer_at_most_every_half_minute(self) -> None:
        self.verifier.logout_token(self.logout())
        for _ in range(5):
            with self.assertRaises(VerificationError):
                self.verifier.logout_token(token_of(self.other, "logout+jwt", {"sub": "c"}, kid="new"))
        self.assertEqual(self.issuer.loads, 1)
        self.issuer.keys.append({**self.other.public_jwk, "kid": "new"})
        self.verifier._loaded_at = time.monotonic() - 31
        events = {"sub": "c", "events": {EVENT: {}}}
        self.assertEqual(self.verifier.logout_token(token_of(self.other, "logout+jwt", events, kid="new")).subject, "c")
        self.assertEqual(self.issuer.loads, 2)

    def test_keys_are_not_loaded_over_http_from_another_machine(self) -> None:
        with self.assertRaises(ValueError):
            TokenVerifier(issuer="http://id.example/o/acme", client_id="app_1")
