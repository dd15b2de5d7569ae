"""What the section ``store_sqlite`` of the configuration may say.

It is checked here and not by a model that ``configuration()`` gives: that would be pydantic, whose import takes
longer than everything else that a command such as ``ares ask`` does.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec

from ares_core import ConfigError

LEGAL = (
    "it takes 'path', the full path of a file, 'max_events', a whole number from 1 to 100000000, and 'max_age_days', "
    "a number above 0"
)


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the file lies (``None``: in the user's state folder), how many events it keeps, and for how long."""

    path: Path | None = None
    max_age_days: Annotated[float, msgspec.Meta(gt=0, le=100_000)] | None = None
    max_events: Annotated[int, msgspec.Meta(ge=1, le=100_000_000)] = 100_000


def checked(section: Mapping[str, Any]) -> Settings:
    """Check the section; numbers may be text, as they are when they come from the environment.

    >>> checked({"max_events": "500"}).max_events
    500
    """
    try:
        settings = msgspec.convert(dict(section), Settings, strict=False, dec_hook=_path)
    except msgspec.ValidationError as error:
        raise ConfigError(f"store_sqlite: {error}; {LEGAL}") from None
    if settings.path is not None and not settings.path.is_absolute():
        raise ConfigError(f"store_sqlite.path: {settings.path} would move with the working folder; {LEGAL}")
    return settings


def _path(kind: type[Any], value: Any) -> Any:
    if kind is Path and isinstance(value, str) and value:
        return Path(value).expanduser()
    raise ValueError(f"expected a path, got {value!r:.60}")
