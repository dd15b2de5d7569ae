"""Taking secrets out of whatever leaves a call: text, events, evidence, stored approvals.

Text is first looked through once by one linear automaton, which knows a little less than is needed to be sure. Only
where it finds something the marks are looked for one by one, and a pattern is tried where one stands. So the usual
text costs half a microsecond a kilobyte, and hostile text is looked at once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from msgspec import Struct

from ares_core.names import is_secret_key

_SIMPLE_SCHEMA = frozenset(
    {"type", "properties", "required", "additionalProperties", "title", "description", "$schema"}
)
MASK = "[redacted]"
SHORTEST = 8
"""Shorter texts can't hold a key name with its value, nor any known shape of a token."""
SHORTEST_KNOWN = 4
"""Blacking out a shorter value wherever it stands would mangle text and still hide nothing."""

CHINESE_WORDS = ("密码", "口令", "密钥", "令牌")
FLAGS = ("password", "passwd", "passphrase", "token", "secret", "api-key", "apikey")
_ESCAPED = r"\\{{1,3}}[\"'][^\"'\\\n]{{0,4096}}"  # inside JSON that is itself a string
_VALUE = _ESCAPED.join((r"(?P<{0}>", r"|\"(?:[^\"\\\n]|\\.){{0,4096}}\"|'(?:[^'\\\n]|\\.){{0,4096}}'|{1})"))
_IS = r"\\{0,3}[\"']?\s{0,4}(?:[:=]|%3[dD])\s{0,4}(?:\[\s{0,4})?"
_BARE = r"(?!\{[\s\"'}\\]|(?:null|none|true|false)\b|expected\s)[^\s,;&}\[\"'\]\\][^\s,;&}\"'\]\\]{0,4095}"
_WORD = _IS + _VALUE.format("secret", _BARE)
_LINE = _IS + _VALUE.format("secret", r"(?!(?:null|none|true|false)\b|expected\s)[^\s\"'{}\[\]\\][^\n\"'}\\]{0,4095}")
_SIGN = r"[\"'”’]?[ \t]{0,4}[:=：＝]"
_KIND = r"(?![\w-]{0,64}(?:hashed|encoded|encrypted|protected|based)\b|\d{1,3}-\d{1,3}(?!\S))"
_TOLD = rf"{_KIND}(?P<secret>(?=[^\s\d]{{0,64}}\d)[^\s\"'-][^\s\"']{{3,4095}})"
"""A word after "--password" or "password is", which is one only with a figure in it: "--password flag" is none."""
_TOLD_IN_CHINESE = (
    r"(?!(?i:null|none|true|false|required|optional|\d{1,3}-\d{1,3})(?![!-~])"
    r"|[!-~]{1,64}[ \t]?(?:编码|加密|哈希|格式|类型|算法|字符|位(?![于置])))(?P<secret>[!-~]{4,4096})"
)
"""No word for how long a password is, or of which kind: 密码是base64编码的."""
_CHINESE = _SIGN + r"[ \t]{0,4}(?P<secret>\"[^\"\n]{0,4096}\"|'[^'\n]{0,4096}'|[^\s\"'，。；,;&{}\[\]]{1,4096})"

Mark = tuple[str, str, re.Pattern[str], re.Pattern[str] | None]


@cache
def _marks() -> tuple[Mark, ...]:
    """The marks, made when first needed.

    Each with the signs of which the text must hold one, the pattern tried where it stands, and what must stand before.
    """
    return tuple(
        (mark, signs, re.compile(pattern, flags), re.compile(before, re.IGNORECASE) if before else None)
        for mark, signs, pattern, flags, before in (
            ("://", ":", r"://[^/\s:@'\"]{0,256}:(?P<secret>[^/\s@'\"]{1,256})@", 0, ""),
            ("pass", ":=%", r"pass(?:word|wd|phrase|code)s?" + _WORD, re.IGNORECASE, ""),
            ("pwd", ":=%", "pwd" + _WORD, re.IGNORECASE, ""),
            ("secret", ":=%", r"secret(?:[_-]?key)?" + _WORD, re.IGNORECASE, ""),
            ("key", ":=%", "key" + _WORD, re.IGNORECASE, r"(?:api|access|account|private|secret|[?&;])[_-]?\Z"),
            ("token", ":=%", "token" + _WORD, re.IGNORECASE, ""),
            ("authorization", ":=%", "authorization" + _LINE, re.IGNORECASE, ""),
            ("cookie", ":=%", "cookie" + _LINE, re.IGNORECASE, ""),
            ("credential", ":=%", "credentials?" + _LINE, re.IGNORECASE, ""),
            ("sig", "=", r"sig(?:nature)?=(?P<secret>[^&\s#'\"<>]{1,4096})", re.IGNORECASE, r"[?&;](?:x-\w{3,4}-)?\Z"),
            *((word, "", word + _CHINESE, 0, "") for word in CHINESE_WORDS),
            *((word, "", rf"{word}[是为][ \t]{{0,4}}{_TOLD_IN_CHINESE}", 0, "") for word in CHINESE_WORDS),
            *(
                (word, "-", rf"{word}[ \t]{{1,4}}{_TOLD}", re.IGNORECASE, r"--(?!max|min|num)[\w-]{0,8}\Z")
                for word in FLAGS
            ),
            ("pass", "", r"pass(?:word|wd|phrase|code) is[ \t]{1,4}" + _TOLD, re.IGNORECASE, ""),
            ("sess", "=", r"sess(?:ion)?id=(?P<secret>[^&\s#;'\"<>]{8,4096})", re.IGNORECASE, r"(?:j|php|[?&;])\Z"),
            ("eyj", "", r"(?P<secret>eyJ[\w\-]{8,4096}\.eyJ[\w\-]{4,4096}(?:\.[\w\-]{0,4096})?)", re.ASCII, ""),
            ("bearer ", "", r"bearer (?P<secret>[A-Za-z0-9._~+/=\-]{6,4096})", re.IGNORECASE, ""),
            ("basic ", "", r"basic (?P<secret>[A-Za-z0-9+/]{8,4096}={0,2})(?=[\s\"']|\Z)", re.IGNORECASE, ""),
            ("sk-", "-", r"(?P<secret>sk-[A-Za-z0-9_\-]{16,256})", 0, r"(?:\A|[^A-Za-z0-9])\Z"),
            ("gh", "_", r"(?P<secret>gh[pousr]_[A-Za-z0-9]{20,255})", 0, ""),
            ("github_pat_", "_", r"(?P<secret>github_pat_[A-Za-z0-9_]{20,255})", 0, ""),
            ("glpat-", "-", r"(?P<secret>glpat-[A-Za-z0-9_\-]{16,255})", 0, ""),
            ("hf_", "_", r"(?P<secret>hf_[A-Za-z0-9]{20,255})", 0, r"(?:\A|[^A-Za-z0-9])\Z"),
            ("npm_", "_", r"(?P<secret>npm_[A-Za-z0-9]{30,255})", 0, r"(?:\A|[^A-Za-z0-9])\Z"),
            ("pypi-", "-", r"(?P<secret>pypi-AgE[A-Za-z0-9_\-]{17,512})", 0, ""),
            ("gsk_", "_", r"(?P<secret>gsk_[A-Za-z0-9]{20,255})", 0, r"(?:\A|[^A-Za-z0-9])\Z"),
            ("k_live_", "_", r"(?P<secret>k_live_[A-Za-z0-9]{16,255})", 0, r"[sr]\Z"),
            ("sg.", "", r"(?P<secret>SG\.[\w\-]{16,64}\.[\w\-]{16,128})", re.ASCII, r"(?:\A|[^A-Za-z0-9])\Z"),
            ("aiza", "", r"(?P<secret>AIza[A-Za-z0-9_\-]{30,64})", 0, ""),
            ("akia", "", r"(?P<secret>AKIA[0-9A-Z]{16})", 0, ""),
            ("xox", "-", r"(?P<secret>xox[abprs]-[A-Za-z0-9\-]{10,256})", 0, ""),
            ("-----begin", "-", r"(?P<secret>-----begin [a-z ]{0,32}private key-----[^-]{1,16384})", re.IGNORECASE, ""),
        )
    )


class Redactor:
    """Blacks out what looks like a secret. ``patterns`` are further regular expressions, from ``results.redact``.

    >>> Redactor().text("GET https://u:p4ss@host/x?api_key=K1&q=1")
    'GET https://u:[redacted]@host/x?api_key=[redacted]&q=1'
    """

    def __init__(self, patterns: Sequence[str] = ()) -> None:
        self.has_own = bool(patterns)
        self._own = tuple(re.compile(pattern) for pattern in patterns)

    def text(self, text: str, secrets: Sequence[str] = ()) -> str:
        """Black out secrets in text; ``secrets`` are values known to be secret."""
        for secret in secrets:
            text = text.replace(secret, MASK)
        if len(text) >= SHORTEST and _may_hold_one(text):
            text = _blacken(text, list(_found(text)))
        for pattern in self._own:
            text = pattern.sub(MASK, text)
        return text

    def data(self, value: Any, secrets: Sequence[str] = ()) -> Any:
        """Give a copy of plain data with secrets blacked out, also the values under telling keys."""
        kind = type(value)
        if kind is str:
            return self.text(value, secrets)
        if kind is int or kind is float or kind is bool or value is None:
            return value
        if isinstance(value, Mapping):
            return {key: MASK if is_secret_key(key) else self.data(item, secrets) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.data(item, secrets) for item in value]
        return MASK


class Shower(Struct, frozen=True):
    """How the arguments of one tool are shown, worked out once from its schema.

    ``texts`` are the properties that may hold a text of any kind, ``lists`` those that hold lists of plain values.
    """

    texts: tuple[str, ...]
    lists: tuple[str, ...]

    def copy(self, arguments: Mapping[str, Any]) -> dict[str, Any] | None:
        """Copy arguments that hold no secret; ``None`` if one of them may."""
        copy = dict(arguments)
        for name in self.texts:
            value = copy.get(name)
            if value is not None and (type(value) is not str or len(value) >= SHORTEST and _may_hold_one(value)):
                return None
        for name in self.lists:
            if name in copy:
                copy[name] = list(copy[name])
        return copy


def shower_of(schema: Mapping[str, Any]) -> Shower | None:
    """Work out how arguments that fit a schema can be shown without searching all of them; ``None``: not at all.

    >>> shower_of({"properties": {"n": {"type": "integer"}, "q": {"type": "string"}}, "additionalProperties": False})
    Shower(texts=('q',), lists=())
    """
    properties = schema.get("properties", {})
    if schema.get("additionalProperties") is not False or not schema.keys() <= _SIMPLE_SCHEMA:
        return None
    if any(is_secret_key(name) or type(part) is not dict for name, part in properties.items()):
        return None
    lists = tuple(
        name for name, part in properties.items() if part.get("type") == "array" and _is_plain(part.get("items"))
    )
    texts = tuple(name for name, part in properties.items() if name not in lists and not _is_plain(part))
    return Shower(texts, lists)


def _is_plain(part: Any) -> bool:
    """Whether a value that fits can only be a number, a truth value, or one of a few harmless words."""
    if type(part) is not dict:
        return False
    options = part.get("enum")
    if type(options) is list:
        return all(type(option) is not str or not _may_hold_one(option) for option in options)
    return part.get("type") in ("integer", "number", "boolean", "null")


_TRACES = (
    r"(?:pass(?:word|wd|phrase|code)?s?|pwd|secret(?:[_-]?key)?|key|token|authorization|cookie|credentials?)"
    r"\\{0,3}[\"']?[ \t\r\n\f\v]{0,4}(?:[:=]|%3d)",
    r"://[^/ \n]*:[^/ \n]*@", r"[?&;](?:x-\w{3,4}-)?sig(?:nature)?=", f"(?:{'|'.join(CHINESE_WORDS)}){_SIGN}",
    "bearer [a-z0-9._~+/=-]{6}", "basic [a-z0-9+/]{8}",
    "sk-[a-z0-9_-]{16}", "gh[pousr]_[a-z0-9]{20}", "akia[0-9a-z]{16}",
    "github_pat_[a-z0-9_]{20}", "glpat-[a-z0-9_-]{16}", "hf_[a-z0-9]{20}", "npm_[a-z0-9]{30}", "aiza[a-z0-9_-]{30}",
    "pypi-age[a-z0-9_-]{17}", "gsk_[a-z0-9]{20}", "[sr]k_live_[a-z0-9]{16}", r"sg\.[a-z0-9_-]{16,64}\.[a-z0-9_-]{16}",
    f"(?:{'|'.join(CHINESE_WORDS)})[是为][ \\t]{{0,4}}[!-~]{{4}}", f"(?:{'|'.join(FLAGS)})[ \\t]",
    "pass(?:word|wd|phrase|code) is[ \\t]", "(?:j|php|[?&;])sess(?:ion)?id=",
    "xox[abprs]-[a-z0-9-]{10}", "-----begin",
    r"eyj[a-z0-9_-]{8,}\.eyj",
)  # fmt: skip
"""What every secret known to the marks leaves in small letters; matched in linear time, many letters at a step."""


def _may_hold_one(text: str) -> bool:
    """Whether a text holds a trace of a secret."""
    try:
        return _scan()(text.lower())
    except UnicodeEncodeError:
        return True


@cache
def _scan() -> Callable[[str], bool]:
    """Make the automaton; the schemas' engine has one, and is there whenever a call has run."""
    from jsonschema_rs import RegexOptions, validator_for

    schema = {"pattern": "|".join(_TRACES)}
    return validator_for(schema, validate_formats=False, pattern_options=RegexOptions()).is_valid


@cache
def _marks_with(there: str) -> tuple[tuple[str, re.Pattern[str], re.Pattern[str] | None], ...]:
    """The marks that can lead to a secret in a text that holds these signs."""
    return tuple(
        (mark, pattern, before) for mark, signs, pattern, before in _marks() if not signs or set(signs) & set(there)
    )


def _found(text: str) -> Iterator[tuple[int, int]]:
    """Find the places of secrets, mark by mark."""
    low = text.lower()
    if len(low) != len(text):  # a letter whose small form is longer would shift every place
        low = "".join(letter.lower() if letter.isascii() else letter for letter in text)
    there = "".join([sign for sign in ":=-_%" if sign in text])
    for mark, pattern, before in _marks_with(there):
        at = low.find(mark)
        while at >= 0:
            match = pattern.match(text, at)
            if match and (before is None or before.search(text[max(0, at - 10) : at])):
                yield _inside_quotes(text, *match.span("secret"))
                at = low.find(mark, match.end())
            else:
                at = low.find(mark, at + len(mark))


def _inside_quotes(text: str, start: int, end: int) -> tuple[int, int]:
    if text[start] == "\\":
        return start + len(text[start:end]) - len(text[start:end].lstrip("\\")) + 1, end
    quoted = end - start >= 2 and text[start] in "\"'" and text[end - 1] == text[start]
    return (start + 1, end - 1) if quoted else (start, end)


def _blacken(text: str, places: list[tuple[int, int]]) -> str:
    if not places:
        return text
    parts, at = [], 0
    for start, end in sorted(places):
        if start >= at:
            parts += [text[at:start], MASK]
        at = max(at, end)
    return "".join([*parts, text[at:]])


def secret_values(arguments: Any, pointers: Sequence[str]) -> list[str]:
    """Give the texts that stand where the schema says that secrets stand, longest first.

    ``*`` in a pointer is any item or key.

    >>> secret_values({"login": {"pin": "4711"}}, ["/login/pin"])
    ['4711']
    """
    if not pointers:
        return []
    found = {text for pointer in pointers for text in _texts_at(arguments, pointer.split("/")[1:])}
    return sorted(found, key=lambda text: (-len(text), text))


def matches(path: str, pointer: str) -> bool:
    """Whether a place in arguments is one that a pointer with ``*`` means.

    >>> matches("/logins/*/pin", "/logins/0/pin"), matches("/pin", "/spin")
    (True, False)
    """
    wanted, steps = path.split("/"), pointer.split("/")
    return len(wanted) == len(steps) and all(want in ("*", step) for want, step in zip(wanted, steps, strict=True))


def _texts_at(value: Any, path: list[str]) -> Iterator[str]:
    if not path:
        if isinstance(value, str) and len(value) >= SHORTEST_KNOWN:
            yield value
        return
    name = path[0].replace("~1", "/").replace("~0", "~")
    if isinstance(value, Mapping):
        inner = value.values() if name == "*" else [value[name]] if name in value else []
    else:
        inner = value if name == "*" and isinstance(value, list) else []
    for item in inner:
        yield from _texts_at(item, path[1:])
