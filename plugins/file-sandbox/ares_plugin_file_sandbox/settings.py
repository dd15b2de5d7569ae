"""What the section ``file_sandbox`` of the configuration may say.

It is checked here and not by a model that ``configuration()`` gives: that would be pydantic, whose import takes
longer than everything else that a first call does.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec

from ares_core import ConfigError

Mode = Literal["read-only", "read-write", "ro", "rw"]
LEGAL = (
    "it takes 'roots', a list of {path, mode} with mode read-only or read-write; 'deny', a list of names such as "
    "'.env' or '*.pem'; and 'allow_hard_links', true or false"
)


class RootSetting(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One folder that tools may reach."""

    path: Annotated[str, msgspec.Meta(min_length=1)]
    mode: Mode = "read-write"

    @property
    def is_writable(self) -> bool:
        """Whether tools may change what lies there."""
        return self.mode in ("read-write", "rw")


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Folders besides ``tools.file_sandbox_dir``, names that stay closed, and whether hard links are trusted."""

    roots: tuple[RootSetting, ...] = ()
    deny: tuple[str, ...] = ()
    allow_hard_links: bool = False


def checked(section: Mapping[str, Any]) -> Settings:
    """Check the section.

    >>> checked({"roots": [{"path": "/srv/docs", "mode": "read-only"}]}).roots[0].is_writable
    False
    """
    try:
        settings = msgspec.convert(dict(section), Settings, strict=False)
    except msgspec.ValidationError as error:
        raise ConfigError(f"file_sandbox: {error}; {LEGAL}") from None
    for name in settings.deny:
        if not name.strip() or "/" in name.removesuffix("/**").removesuffix("/"):
            raise ConfigError(
                f"file_sandbox.deny: {name!r} is no name; a name such as '.git' or '*.pem' stays closed wherever it "
                "stands, with all below it"
            )
    return settings


__all__ = ["RootSetting", "Settings", "checked"]
