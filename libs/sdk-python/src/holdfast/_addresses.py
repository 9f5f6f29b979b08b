from __future__ import annotations

from urllib.parse import urlsplit


def is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    return host in ("localhost", "127.0.0.1", "::1") or host.endswith(".localhost")


def require_secure(name: str, url: str) -> None:
    """Plain http is for a Holdfast on your own machine only: elsewhere it would show secrets and tokens.

    :raises ValueError: for any other address
    """
    parts = urlsplit(url)
    if not parts.hostname or parts.username is not None or parts.query or parts.fragment:
        raise ValueError(f"{name} is no address of a server: {parts.scheme}://{parts.hostname}")
    if parts.scheme != "https" and not (parts.scheme == "http" and is_loopback(url)):
        raise ValueError(f"{name} is {url}: only https, and http on this machine, keep tokens secret.")


def origin_of(url: str) -> str:
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    return f"{parts.scheme}://{parts.hostname}:{port}"
