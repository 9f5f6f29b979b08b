"""Signatures of JWTs, with the package ``cryptography``, which is loaded when one is needed."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from typing import Any, Mapping

from .errors import VerificationError


def encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decoded(text: str) -> bytes:
    """:raises ValueError: for anything but base64url without padding: Python's decoder skips other characters"""
    if not re.fullmatch(r"[A-Za-z0-9_-]*", text, re.ASCII):
        raise ValueError("no base64url")
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def parsed(data: bytes) -> dict[str, Any]:
    """:raises ValueError: for anything but a JSON object (RFC 8259 has no NaN and no infinity)"""

    def reject(name: str) -> None:
        raise ValueError(f"{name} is no JSON")

    value = json.loads(data.decode(), parse_constant=reject)
    if not isinstance(value, dict):
        raise ValueError("no JSON object")
    return value


def require_cryptography() -> None:
    """:raises ImportError: when the extra ``crypto`` is not installed"""
    try:
        import cryptography  # noqa: F401
    except ImportError as error:
        raise ImportError("Keys need the package cryptography: pip install 'holdfast[crypto]'") from error


class Signer:
    """Signs with a private key on P-256 (ES256), Ed25519 (EdDSA) or of RSA (RS256)."""

    def __init__(self, key: Any) -> None:
        """:param key: PEM without a password, or a private key of ``cryptography``"""
        require_cryptography()
        from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
        from cryptography.hazmat.primitives.serialization import load_pem_private_key

        if isinstance(key, (str, bytes)):
            key = load_pem_private_key(key.encode() if isinstance(key, str) else key, password=None)
        self._key: Any = key
        public: dict[str, str]
        if isinstance(key, ec.EllipticCurvePrivateKey) and key.curve.name == "secp256r1":
            numbers = key.public_key().public_numbers()
            x, y = (encoded(value.to_bytes(32, "big")) for value in (numbers.x, numbers.y))
            self.alg, public = "ES256", {"crv": "P-256", "kty": "EC", "x": x, "y": y}
        elif isinstance(key, ed25519.Ed25519PrivateKey):
            from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

            raw = key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
            self.alg, public = "EdDSA", {"crv": "Ed25519", "kty": "OKP", "x": encoded(raw)}
        elif isinstance(key, rsa.RSAPrivateKey):
            n, e = key.public_key().public_numbers().n, key.public_key().public_numbers().e
            values = {"e": e, "n": n}
            parts = {name: encoded(v.to_bytes((v.bit_length() + 7) // 8, "big")) for name, v in values.items()}
            self.alg, public = "RS256", {"kty": "RSA", **parts}
        else:
            raise TypeError("A private key is one on P-256, Ed25519, or of RSA.")
        self.public_jwk: Mapping[str, str] = public

    @staticmethod
    def generate() -> Signer:
        require_cryptography()
        from cryptography.hazmat.primitives.asymmetric import ec

        return Signer(ec.generate_private_key(ec.SECP256R1()))

    def sign(self, header: Mapping[str, object], claims: Mapping[str, object]) -> str:
        parts = [json.dumps(part, separators=(",", ":")).encode() for part in ({"alg": self.alg, **header}, claims)]
        signed = ".".join(encoded(part) for part in parts)
        return f"{signed}.{encoded(self._signature(signed.encode()))}"

    def _signature(self, data: bytes) -> bytes:
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.asymmetric import ec, padding, utils

        if self.alg == "ES256":
            r, s = utils.decode_dss_signature(self._key.sign(data, ec.ECDSA(hashes.SHA256())))
            return r.to_bytes(32, "big") + s.to_bytes(32, "big")
        if self.alg == "RS256":
            return bytes(self._key.sign(data, padding.PKCS1v15(), hashes.SHA256()))
        return bytes(self._key.sign(data))

    def __repr__(self) -> str:
        return f"<Signer {self.alg}>"


def is_signed(alg: str, jwk: Mapping[str, Any], data: bytes, signature: bytes) -> bool:
    """Whether the key, which must be of the kind of the algorithm (RS256, ES256 or EdDSA), has signed these bytes."""
    require_cryptography()
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa, utils

    def number(name: str) -> int:
        return int.from_bytes(decoded(jwk[name]), "big")

    try:
        if alg == "ES256" and (jwk.get("kty"), jwk.get("crv")) == ("EC", "P-256"):
            if len(signature) != 64:
                return False
            r, s = (int.from_bytes(part, "big") for part in (signature[:32], signature[32:]))
            point = ec.EllipticCurvePublicNumbers(number("x"), number("y"), ec.SECP256R1()).public_key()
            point.verify(utils.encode_dss_signature(r, s), data, ec.ECDSA(hashes.SHA256()))
            return True
        if alg == "RS256" and jwk.get("kty") == "RSA":
            modulus = rsa.RSAPublicNumbers(number("e"), number("n")).public_key()
            if modulus.key_size < 2048:
                return False
            modulus.verify(signature, data, padding.PKCS1v15(), hashes.SHA256())
            return True
        if alg == "EdDSA" and (jwk.get("kty"), jwk.get("crv")) == ("OKP", "Ed25519"):
            ed25519.Ed25519PublicKey.from_public_bytes(decoded(jwk["x"])).verify(signature, data)
            return True
    except (InvalidSignature, ValueError, KeyError, TypeError, AttributeError):
        return False
    return False


def split_token(token: str) -> tuple[dict[str, Any], dict[str, Any], bytes, bytes]:
    """Header, claims, the signed bytes and the signature of a JWT in compact form.

    :raises VerificationError: when it is none
    """
    try:
        first, second, third = token.split(".")
        return parsed(decoded(first)), parsed(decoded(second)), f"{first}.{second}".encode(), decoded(third)
    except (ValueError, RecursionError) as error:
        raise VerificationError("It is no JWT.") from error


def hash_of(text: str) -> str:
    return encoded(hashlib.sha256(text.encode()).digest())
