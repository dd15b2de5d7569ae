"""The names that go out: of tools and of their arguments, as a provider takes them, and no two alike."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import chain, count
from typing import Any

from ares_core.formats import NameRule
from ares_core.schema.tidy import published


@lru_cache(maxsize=64)
def _patterns(rule: NameRule) -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    legal = re.compile(f"[{rule.first}][{rule.rest}]{{0,{rule.longest - 1}}}")
    return legal, re.compile(f"[^{rule.rest}]+"), re.compile(f"[{rule.first}]")


def wire_names(names: Mapping[str, Iterable[str]], rule: NameRule) -> dict[str, str]:
    """Give each name a name that the provider takes, all different; a pure function of the names and their aliases.

    Legal names stay as they are, and no other tool gets one of them, nor an alias of another. A name that is not
    legal goes out as the tool's first alias, if that is legal and nobody else's.

    >>> wire_names({"add": (), "mcp.files.read": (), "mcp.mail.send": ["mail__send"]}, NameRule())
    {'add': 'add', 'mcp.files.read': 'mcp_files_read', 'mcp.mail.send': 'mail__send'}
    """
    legal, illegal, _ = _patterns(rule)
    table: dict[str, str] = {}
    others: dict[str, str] = {}
    for name in names:
        if legal.fullmatch(name):
            table[name] = name
        else:
            others[name] = _legal(illegal.sub("_", name), rule)
    if others:
        aliased = Counter(alias for aliases in names.values() for alias in {*aliases})
        wanted = Counter(others.values())
        taken = {*table}
        for name, plain in sorted(others.items()):
            own = {*names[name]}
            chosen = [alias for alias in (*names[name],)[:1] if legal.fullmatch(alias)]
            table[name] = next(
                candidate
                for candidate in chain(chosen, _candidates(name, plain, rule, alone=wanted[plain] == 1))
                if candidate not in taken and aliased[candidate] <= (candidate in own)
            )
            taken.add(table[name])
    return table


def _legal(plain: str, rule: NameRule) -> str:
    first = _patterns(rule)[2]
    return plain if first.match(plain) else f"t_{plain}"


def _candidates(name: str, plain: str, rule: NameRule, alone: bool) -> Iterator[str]:
    """Give the plain name, if it says something, fits and nobody else wants it; then some with a hash of the name."""
    from hashlib import sha256

    says_something = re.search("[A-Za-z0-9]", plain.removeprefix("t_"))
    if says_something and alone and len(plain) <= rule.longest:
        yield plain
    stem = plain[: rule.longest - 9] if says_something else "tool"
    for attempt in count():
        yield f"{stem}_{sha256(f'{name}{chr(0)}{attempt}'.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def sent_keys(parameters: Any, rule: NameRule) -> dict[str, str]:
    """Give the names of arguments that a provider would refuse, each with the one that goes out for it.

    >>> sent_keys({"properties": {"filter[id]": {}, "page": {}}}, NameRule())
    {'filter[id]': 'filter_id_'}
    """
    properties = parameters.get("properties") if isinstance(parameters, Mapping) else None
    if not isinstance(properties, Mapping) or all(map(_patterns(rule)[0].fullmatch, map(str, properties))):
        return {}
    table = wire_names({str(key): () for key in properties}, rule)
    return {key: sent for key, sent in table.items() if sent != key}


def with_keys(parameters: Any, keys: Mapping[str, str]) -> Any:
    """Give parameters as providers take them, their arguments under the names that go out."""
    made = published(parameters)
    if not keys:
        return made
    renamed = {keys.get(key, key): part for key, part in made["properties"].items()}
    required = [keys.get(key, key) for key in made.get("required") or ()]
    return {**made, "properties": renamed, **({"required": required} if required else {})}
