"""What ``data_transform`` does, by the name of the operation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ares_core import ToolError
from ares_plugin_data.flattening import flatten, unflatten
from ares_plugin_data.tables import csv_to_json, json_to_csv

OTHER_NAMES = {"flatten_json": "flatten", "unflatten_json": "unflatten"}
TAKES = {
    "csv_to_json": (csv_to_json, ("delimiter", "has_header")),
    "json_to_csv": (json_to_csv, ("delimiter", "has_header")),
    "flatten": (flatten, ("separator",)),
    "unflatten": (unflatten, ("separator",)),
}


def run(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Run the operation that the arguments name."""
    named = arguments["operation"]
    operation = OTHER_NAMES.get(named, named)
    function, takes = TAKES[operation]
    for name in arguments:
        if name not in ("operation", "data", *takes):
            raise ToolError(
                f"{named} takes no {name!r}; nothing was converted", hint=f"it takes {', '.join(takes)}", blame="input"
            )
    return {"operation": operation, **function(arguments)}
