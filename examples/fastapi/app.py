"""An app on FastAPI: it offers a credential to a person who signs up, signs customers in, and ends their sessions."""

from __future__ import annotations

import asyncio
import html
import os
import secrets
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlencode

from authlib.integrations.starlette_client import OAuth, OAuthError
from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.middleware.sessions import SessionMiddleware

from holdfast import Holdfast, TokenVerifier, UnavailableError, VerificationError

HOLDFAST_URL, APP_URL = os.environ["HOLDFAST_URL"], os.environ["APP_URL"]
ORGANIZATION = os.environ["ORGANIZATION"]
CLIENT_ID, CLIENT_SECRET = os.environ["CLIENT_ID"], os.environ["CLIENT_SECRET"]
ISSUER = f"{HOLDFAST_URL}/o/{ORGANIZATION}"
SIGN_UP = """<h1>Shop</h1><form method="post" action="/sign-up"><label>Your name <input name="name" required></label>
<button>Sign up</button></form><a href="/sign-in">Sign in</a>"""
AGAIN = '<h1>Nobody is signed in</h1><a href="/sign-in">Sign in again</a>'


@dataclass
class Session:
    subject: str
    sid: str
    id_token: str


# A real app has tables for these: the customer's name by subject, and the session by the key in the cookie.
accounts: dict[str, str] = {}
sessions: dict[str, Session] = {}

holdfast = Holdfast(base_url=HOLDFAST_URL, organization=ORGANIZATION, client_id=CLIENT_ID, client_secret=CLIENT_SECRET)
tokens = TokenVerifier(issuer=ISSUER, client_id=CLIENT_ID)
oauth = OAuth()
oauth.register(
    "holdfast",
    client_id=CLIENT_ID,
    client_secret=CLIENT_SECRET,
    server_metadata_url=f"{ISSUER}/.well-known/openid-configuration",
    client_kwargs={"scope": "openid", "code_challenge_method": "S256"},
)
app = FastAPI(openapi_url=None)
# Signed: it has state, nonce and code verifier of a sign-in, and the key of a session that is kept here.
app.add_middleware(SessionMiddleware, secret_key=os.environ["SESSION_SECRET"], https_only=APP_URL[:6] == "https:")


@app.get("/")
def home(request: Request) -> HTMLResponse:
    session = sessions.get(request.session.get("key", ""))
    if session is None:
        return page(SIGN_UP)
    name = html.escape(accounts.get(session.subject, session.subject))
    return page(f'<h1>Hello, {name}</h1><form method="post" action="/sign-out"><button>Sign out</button></form>')


@app.post("/sign-up")
async def sign_up(request: Request) -> HTMLResponse:
    name = parse_qs((await request.body()).decode()).get("name", [""])[0]
    # In a thread, since the client waits for the response.
    offer = await asyncio.to_thread(holdfast.create_offer, body={"returnUrl": f"{APP_URL}/"})
    accounts[offer["subject"]] = name
    # A real app sends this link by e-mail and keeps no copy.
    return page(f'<h1>Almost done</h1><a href="{html.escape(offer["claimUrl"])}">Create my passkey</a>')


@app.get("/sign-in")
async def sign_in(request: Request) -> Any:
    return await oauth.holdfast.authorize_redirect(request, f"{APP_URL}/callback")


@app.get("/callback")
async def callback(request: Request) -> Response:
    if request.query_params.get("iss") != ISSUER:  # RFC 9207: the response is that of another issuer.
        return page(AGAIN, 400)
    try:
        token = await oauth.holdfast.authorize_access_token(request)
    except OAuthError as error:
        return page("<h1>You have no access</h1>", 403) if error.error == "access_denied" else page(AGAIN, 400)
    claims = token["userinfo"]
    request.session.clear()
    request.session["key"] = key = secrets.token_urlsafe(32)
    sessions[key] = Session(claims["sub"], claims["sid"], token["id_token"])
    return RedirectResponse("/", 303)


@app.post("/sign-out")
async def sign_out(request: Request) -> Response:
    session = sessions.pop(request.session.pop("key", ""), None)
    if session is None:
        return RedirectResponse("/", 303)
    end = (await oauth.holdfast.load_server_metadata())["end_session_endpoint"]
    hint = {"id_token_hint": session.id_token, "post_logout_redirect_uri": f"{APP_URL}/"}
    return RedirectResponse(f"{end}?{urlencode(hint)}", 303)


@app.post("/backchannel-logout")
async def backchannel_logout(request: Request) -> Response:
    form = parse_qs((await request.body()).decode())
    try:
        ended = await asyncio.to_thread(tokens.logout_token, form.get("logout_token", [""])[0])
    except VerificationError as error:
        return Response(str(error), 400)
    except UnavailableError:
        return Response(status_code=503)  # Holdfast sends it again.
    for key, session in list(sessions.items()):
        if session.sid == ended.sid or (ended.sid is None and session.subject == ended.subject):
            del sessions[key]
    return Response(status_code=204)


def page(body: str, status: int = 200) -> HTMLResponse:
    return HTMLResponse(f"<!doctype html><html lang=en><title>Shop</title><main>{body}</main>", status)
