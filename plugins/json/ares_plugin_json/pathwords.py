"""Reading a JSONPath, with numbers as they are written and faults in a sentence."""

from __future__ import annotations

import re
from typing import Any

from jsonpath import JSONPathEnvironment, JSONPathError, JSONPathSyntaxError
from jsonpath.filter import FloatLiteral, IntegerLiteral
from jsonpath.parse import Parser
from jsonpath.stream import TokenStream
from jsonpath.token import Token

from ares_core import ToolError
from ares_plugin_json.numbers import read_float, read_integer

LONGEST = 1_000
LEADING_ZERO = re.compile(r"-?0[0-9]")
BRACKETS = 60
"""How many brackets may be open at once: the parser calls itself for each."""


class Exact(Parser):
    """Reads numbers as they are written; the library takes whole numbers through floats."""

    def parse_integer_literal(self, stream: TokenStream) -> Any:
        """Read a whole number, also one with an exponent."""
        exact: Any = _number(stream.next())
        return IntegerLiteral(value=exact)

    def parse_float_literal(self, stream: TokenStream) -> Any:
        """Read a number with a point."""
        exact: Any = _number(stream.next())
        return FloatLiteral(value=exact)


def _number(token: Token) -> Any:
    text = token.value
    if LEADING_ZERO.match(text):
        raise JSONPathSyntaxError("a number begins with 0", token=token)
    return read_integer(text) if text.lstrip("-").isdigit() else read_float(text)


class Environment(JSONPathEnvironment):
    """RFC 9535 and nothing else, with exact numbers."""

    parser_class = Exact


ENVIRONMENT = Environment(strict=True)


def compiled(query: str) -> Any:
    """Read a query; a ``ToolError`` says where it can't be read."""
    if len(query) > LONGEST:
        raise _refusal(f"the query has more than {LONGEST:,} characters", "shorten it")
    _check_brackets(query)
    try:
        return ENVIRONMENT.compile(query)
    except JSONPathError as error:
        token = error.token
        where = f" at character {token.index}" if token is not None and token.index >= 0 else ""
        raise _refusal(f"{query[:200]!r} is no JSONPath: {_words(str(error.message))}{where}", _hint(query)) from None
    except (RecursionError, ValueError, ArithmeticError) as error:
        raise _refusal(f"{query[:200]!r} is no JSONPath: {type(error).__name__}", _hint(query)) from None


def _check_brackets(query: str) -> None:
    depth = 0
    for character in query:
        depth += (character in "[(") - (character in "])")
        if depth > BRACKETS:
            raise _refusal(f"the query has more than {BRACKETS} brackets open at once", "simplify it")


def _words(said: str) -> str:
    return said.replace("TOKEN_", "").replace("_", " ").lower() if "TOKEN_" in said else said


def _hint(query: str) -> str:
    if "=~" in query:
        return "write match(@.key, 'pattern') or search(@.key, 'pattern')"
    if query != query.strip():
        return "take the white space around it away"
    return "a query looks like $.store.book[?@.price < 10].title, a key with other signs like $['a-b']"


def _refusal(message: str, hint: str) -> ToolError:
    return ToolError(f"{message}; nothing was read", hint=hint, blame="input")
