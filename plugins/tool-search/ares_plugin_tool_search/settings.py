"""What the section ``tool_search`` of the configuration may say."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

Share = Annotated[float, Meta(gt=0, le=1, description="a number above 0, at most 1")]
Tokens = Annotated[int, Meta(ge=1000, le=100_000_000, description="a whole number from 1000 to 100000000")]
Matches = Annotated[int, Meta(ge=1, le=20, description="a whole number from 1 to 20")]
Name = Annotated[str, Meta(min_length=1, max_length=200, description="a name, or a pattern such as mcp.files.*")]


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """When tools are looked up, and which are shown all the same.

    With ``auto`` that is where definitions take more than ``share`` of what the model can read: as its profile in
    ``models`` says, otherwise ``context_tokens``. ``matches`` is how many tools a search gives if it says nothing.
    """

    enabled: Literal["auto", "on", "off"] = "auto"
    share: Share = 0.1
    context_tokens: Tokens = 128_000
    always: tuple[Name, ...] = ()
    matches: Matches = 5
