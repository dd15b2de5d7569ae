"""Variables of the environment as configuration: ``ARES_LIMITS__TIMEOUT=5`` is ``limits.timeout``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from ares_core.errors import ConfigError
from ares_core.settings import Settings

SHORT = {"ARES_ONLY_PLUGINS": ("plugins", "only"), "ARES_BLOCK_PLUGINS": ("plugins", "block")}
"""Variables with a name of their own."""


def settings_in(environ: Mapping[str, str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give each variable that sets a key, in name order, with the sections it stands for.

    An empty variable sets nothing, but an empty ``ARES_ONLY_PLUGINS`` means no plugin at all.
    """
    for name in sorted(name for name in environ if name.startswith("ARES_")):
        path = SHORT.get(name) or _path(name)
        if name == "ARES_ONLY_PLUGINS" and environ[name] == "":
            yield f"the variable {name}", _nest(SHORT[name], [])
        elif path and environ[name] != "":
            yield f"the variable {name}", _nest(path, _value(environ[name].strip()))


def strays_in(environ: Mapping[str, str]) -> Iterator[str]:
    """Say which variables look as if they set a key of the core's, but set nothing.

    >>> list(strays_in({"ARES_LIMITS_TIMEOUT": "5"}))
    ['the variable ARES_LIMITS_TIMEOUT sets nothing; write ARES_LIMITS__TIMEOUT']
    """
    for name in sorted(name for name in environ if name.startswith("ARES_") and "__" not in name and name not in SHORT):
        said = name.removeprefix("ARES_").lower()
        for section in Settings.__struct_fields__:
            keys = getattr(getattr(Settings(), section), "__struct_fields__", ())
            if said == section or said.removeprefix(f"{section}_") in keys and said.startswith(f"{section}_"):
                key = said.removeprefix(section).strip("_") or "key"
                yield f"the variable {name} sets nothing; write ARES_{section.upper()}__{key.upper()}"


def _path(name: str) -> tuple[str, ...] | None:
    if "__" not in name:
        return None
    parts = tuple(name.removeprefix("ARES_").lower().split("__"))
    if not all(parts):
        raise ConfigError(f"the variable {name} names no key; write ARES_SECTION__KEY, such as ARES_LIMITS__TIMEOUT")
    return parts


def _value(text: str) -> Any:
    """A list or mapping may be written as JSON; everything else stays text and is read by the type of its key."""
    if not text.startswith(("[", "{")):
        return text
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text


def _nest(path: tuple[str, ...], value: Any) -> dict[str, Any]:
    nested = value
    for part in reversed(path):
        nested = {part: nested}
    return dict(nested)
