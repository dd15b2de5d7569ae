"""Greets in the way that its section of the configuration says."""

from __future__ import annotations

from pydantic import BaseModel

from ares_core import Effects, Host, Tool, hookimpl


class Settings(BaseModel, extra="forbid"):
    greeting: str = "hello"
    times: int = 1


@hookimpl
def configuration() -> type[BaseModel]:
    return Settings


@hookimpl
def register_tools(host: Host) -> list[Tool]:
    def greet() -> str:
        """Greet."""
        return str(host.config.greeting) * int(host.config.times)

    return [Tool.from_function(greet, effects=Effects(open_world=False))]
