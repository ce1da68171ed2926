"""An OpenID provider on 127.0.0.1, as the Hub is one for its Spaces: whoever is named at its door is signed in.

It checks what the Hub checks of an app: the client and its secret, the address to come back to, and that a code is used
once. Its tokens are signed, and the app's own client reads them.
"""

from __future__ import annotations

import base64
import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT, SECRET = "space", "kept by the Space"


class OpenIdProvider(ThreadingHTTPServer):
    """``visitor`` stands before the door, and cancels where it ``refuses``; one that ``is_away`` gives no token."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.visitor = ""
        self.refuses = self.is_away = False
        self.key = RSAKey.generate_key(2048, {"kid": "one", "use": "sig"})
        self.codes: dict[str, dict[str, str]] = {}

    @property
    def environment(self) -> dict[str, str]:
        """Return the environment variables that the Hub sets in a Space."""
        return {
            "SPACE_ID": "me/space",
            "SYSTEM": "spaces",
            "OAUTH_CLIENT_ID": CLIENT,
            "OAUTH_CLIENT_SECRET": SECRET,
            "OAUTH_SCOPES": "openid profile",
            "OPENID_PROVIDER_URL": self.url,
        }

    def token(self, asked: dict[str, str]) -> dict[str, Any]:
        """Return the token that a code is exchanged for."""
        now = int(time.time())
        claims = {
            "iss": self.url,
            "aud": CLIENT,
            "sub": asked["visitor"],
            "iat": now,
            "exp": now + 3600,
            "name": asked["visitor"].title(),
            "preferred_username": asked["visitor"],
            "profile": f"{self.url}/{asked['visitor']}",
            "picture": "",
            **({"nonce": asked["nonce"]} if "nonce" in asked else {}),
        }
        signed = jwt.encode({"alg": "RS256", "kid": "one"}, claims, self.key)
        return {"access_token": secrets.token_hex(), "token_type": "Bearer", "expires_in": 3600, "id_token": signed}


class _Handler(BaseHTTPRequestHandler):
    server: OpenIdProvider

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        url, asked = self.server.url, dict(parse_qsl(parts.query))
        if parts.path == "/.well-known/openid-configuration":
            self._say(
                {
                    "issuer": url,
                    "authorization_endpoint": f"{url}/oauth/authorize",
                    "token_endpoint": f"{url}/oauth/token",
                    "jwks_uri": f"{url}/oauth/keys",
                    "id_token_signing_alg_values_supported": ["RS256"],
                }
            )
        elif parts.path == "/oauth/keys":
            self._say({"keys": [self.server.key.as_dict(private=False)]})
        elif parts.path == "/oauth/authorize" and asked.get("client_id") == CLIENT:
            self._let_in(asked)
        else:
            self.send_error(404)

    def do_POST(self) -> None:
        asked = dict(parse_qsl(self.rfile.read(int(self.headers["Content-Length"])).decode()))
        if self.server.is_away:
            self.send_error(503)
            return
        known = self.server.codes.pop(asked.get("code", ""), None)
        shown = base64.b64decode(self.headers.get("Authorization", "").removeprefix("Basic ")).decode()
        if known is None or shown != f"{CLIENT}:{SECRET}" or known["redirect_uri"] != asked.get("redirect_uri"):
            self._say({"error": "invalid_grant"}, 400)
        else:
            self._say(self.server.token(known))

    def _let_in(self, asked: dict[str, str]) -> None:
        query = {"state": asked["state"]}
        if self.server.refuses:
            query["error"] = "access_denied"
        else:
            query["code"] = secrets.token_hex()
            self.server.codes[query["code"]] = {**asked, "visitor": self.server.visitor}
        joint = "&" if urlsplit(asked["redirect_uri"]).query else "?"
        self.send_response(302)
        self.send_header("Location", f"{asked['redirect_uri']}{joint}{urlencode(query)}")
        self.end_headers()

    def _say(self, content: dict[str, Any], status: int = 200) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""


@contextmanager
def open_id_provider() -> Iterator[OpenIdProvider]:
    """Yield a running provider."""
    provider = OpenIdProvider()
    threading.Thread(target=provider.serve_forever, daemon=True).start()
    try:
        yield provider
    finally:
        provider.shutdown()
        provider.server_close()
