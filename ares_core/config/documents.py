"""One configuration file, read: YAML as plain data, or ``[tool.ares]`` of a ``pyproject.toml``."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from ares_core.errors import ConfigError

if TYPE_CHECKING:
    import yaml

LARGEST = 200_000


class Document(Struct, frozen=True):
    """What a file says, and what is worth knowing about the file itself."""

    path: str
    values: dict[str, Any]
    notes: tuple[str, ...] = ()


def read(path: str | os.PathLike[str]) -> Document:
    """Read one file; raises ``ConfigError`` with line and column where it can't be read."""
    name = os.path.abspath(os.fspath(path))
    text, open_to_all = _text(name)
    values = _toml(text, name) if name.endswith(".toml") else _yaml(text, name)
    notes = []
    if values is None:
        notes.append(f"{name} is empty, so nothing is configured there")
    if open_to_all:
        notes.append(f"{name} can be changed by every user of this machine; take that right away: chmod o-w {name}")
    return Document(name, _sections({} if values is None else values, name), tuple(notes))


def _text(name: str) -> tuple[str, bool]:
    try:
        with open(name, "rb") as file:
            data = file.read(LARGEST + 1)
            mode = os.fstat(file.fileno()).st_mode
    except (OSError, ValueError) as error:  # a zero byte in a path is no OSError
        why = getattr(error, "strerror", None) or error
        raise ConfigError(f"{name}: can't be read ({why}); check the path and its rights") from None
    if len(data) > LARGEST:
        raise ConfigError(f"{name}: larger than {LARGEST} bytes, too large for a configuration")
    try:
        return data.decode("utf-8-sig"), os.name == "posix" and bool(mode & stat.S_IWOTH)
    except UnicodeDecodeError as error:
        raise ConfigError(f"{name}: byte {error.start} is no UTF-8; save the file as UTF-8") from None


def _sections(values: Any, name: str) -> dict[str, Any]:
    if not isinstance(values, dict):
        raise ConfigError(f"{name}: expected sections such as 'limits:' at the top, got a {_kind(values)}")
    return values


def _kind(value: Any) -> str:
    return "list" if isinstance(value, list) else "single value"


def _toml(text: str, name: str) -> Any:
    import tomllib

    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{name}: {error}") from None
    except RecursionError:
        raise ConfigError(f"{name}: nested too deeply") from None
    if os.path.basename(name) == "pyproject.toml":
        tool = table.get("tool")
        return tool.get("ares") if isinstance(tool, dict) else None
    return table


def _yaml(text: str, name: str) -> Any:
    import yaml

    from ares_core.config.yaml_loader import PlainLoader

    try:
        loader = PlainLoader(text)
        try:
            return loader.get_single_data()
        finally:
            loader.dispose()
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise ConfigError(f"{name}, line {line}: {error.reason}") from None
    except yaml.MarkedYAMLError as error:
        raise ConfigError(_where(name, error)) from None


def _where(name: str, error: yaml.MarkedYAMLError) -> str:
    mark = error.problem_mark or error.context_mark
    place = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
    return f"{name}{place}: {error.problem or error.context}"
