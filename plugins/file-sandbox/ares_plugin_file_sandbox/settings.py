"""What the section ``file_sandbox`` of the configuration may say."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from ares_core import ConfigError

Mode = Literal["read-only", "read-write", "ro", "rw"]


class RootSetting(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One folder that tools may reach."""

    path: Annotated[str, msgspec.Meta(min_length=1, description="the path of a folder")]
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

    def __post_init__(self) -> None:
        for name in self.deny:
            if not name.strip() or "/" in name.removesuffix("/**").removesuffix("/"):
                raise ConfigError(
                    f"file_sandbox.deny: {name!r} is no name; a name such as '.git' or '*.pem' stays closed wherever "
                    "it stands, with all below it"
                )


__all__ = ["RootSetting", "Settings"]
