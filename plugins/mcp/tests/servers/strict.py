"""A small MCP server over HTTP, written by hand: ``strict.py PORT DIARY [TOKEN]``. Its sessions can be forgotten."""

from __future__ import annotations

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs

SESSIONS: list[str] = []
TOOL = {"name": "work", "description": "Work.", "inputSchema": {"type": "object"}}


class Handler(BaseHTTPRequestHandler):
    """Answers with plain JSON."""

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def do_DELETE(self) -> None:
        """Take a session's end."""
        self.answer(200, None)

    def do_GET(self) -> None:
        """Tell where tokens are given out, and give out codes; have no stream."""
        path, _, query = self.path.partition("?")
        base = f"http://127.0.0.1:{sys.argv[1]}"
        if path.startswith("/.well-known/oauth-protected-resource"):
            self.plain(200, {"resource": f"{base}/mcp", "authorization_servers": [base]})
        elif path == "/.well-known/oauth-authorization-server":
            self.plain(200, {
                "issuer": base, "authorization_endpoint": f"{base}/authorize", "token_endpoint": f"{base}/token",
                "registration_endpoint": f"{base}/register", "response_types_supported": ["code"],
                "code_challenge_methods_supported": ["S256"],
                "token_endpoint_auth_methods_supported": ["client_secret_basic", "none"],
            })  # fmt: skip
        elif path == "/authorize":
            asked = {key: values[0] for key, values in parse_qs(query).items()}
            self.answer(302, None, {"Location": f"{asked['redirect_uri']}?code=c1&state={asked['state']}"})
        else:
            self.answer(405, None)

    def do_POST(self) -> None:
        """Take one message, a registration, or a wish for a token."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/register":
            self.plain(201, {**json.loads(body), "client_id": "made-up"})
        elif self.path == "/token":
            with open(sys.argv[2], "a", encoding="utf-8") as file:
                file.write(f"token {parse_qs(body.decode())['grant_type'][0]} {self.headers.get('Authorization')}\n")
            self.plain(200, {"access_token": sys.argv[3], "token_type": "Bearer", "expires_in": 3600})
        else:
            self.message(json.loads(body))

    def plain(self, status: int, value: dict[str, Any]) -> None:
        """Send JSON that is no message."""
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def message(self, request: dict[str, Any]) -> None:
        """Answer one message."""
        method, session = request.get("method"), self.headers.get("Mcp-Session-Id")
        with open(sys.argv[2], "a", encoding="utf-8") as file:
            file.write(f"{method} {session or '-'}\n")
        if len(sys.argv) > 3 and self.headers.get("Authorization") != f"Bearer {sys.argv[3]}":
            self.answer(401, None, {"WWW-Authenticate": "Bearer"})
        elif method == "initialize":
            SESSIONS.append(f"s{len(SESSIONS) + 1}")
            result = {
                "protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                "serverInfo": {"name": "x", "version": "1"},
            }  # fmt: skip
            self.answer(200, {"id": request["id"], "result": result}, {"Mcp-Session-Id": SESSIONS[-1]})
        elif session is None or session != SESSIONS[-1]:
            self.answer(404 if session else 400, None)
        elif "id" not in request:
            self.answer(202, None)
        elif method == "tools/list":
            self.answer(200, {"id": request["id"], "result": {"tools": [TOOL]}})
        else:
            with open(sys.argv[2], "a", encoding="utf-8") as file:
                file.write("worked\n")
            if request["params"].get("arguments", {}).get("forget"):
                SESSIONS.append("gone")
            self.answer(200, {"id": request["id"], "result": {"content": [{"type": "text", "text": session}]}})

    def answer(self, status: int, message: dict[str, Any] | None, headers: dict[str, str] | None = None) -> None:
        """Send an answer."""
        body = b"" if message is None else json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json" if body else "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
