"""``ares tools``: list the tools, or describe one."""

from __future__ import annotations

from typing import Any

import click
from msgspec import to_builtins

from ares_core import sources
from ares_core.app import Ares
from ares_core.call import resolve
from ares_core.call.refusal import Refused
from ares_core.calls import Effects
from ares_core.cli import completing, options, output
from ares_core.cli.choosing import no_such
from ares_core.cli.opening import opened
from ares_core.cli.progress import working
from ares_core.tools import Tool

COLUMNS = ("name", "capabilities", "effects", "plugin", "description")


@options.command()
@click.argument("name", required=False, shell_complete=completing.tools)
@click.option(
    "--capability", metavar="NAME", shell_complete=completing.capabilities, help="Only tools that can do this."
)
@click.option("--plugin", metavar="NAME", shell_complete=completing.plugins, help="Only tools of this plugin.")
def command(name: str | None, capability: str | None, plugin: str | None) -> None:
    """List the tools, or describe one."""
    as_json = options.current().as_json
    with opened() as ares:
        if name is not None:
            tool = _named(ares, name)
            output.document(described(ares, tool)) if as_json else show(ares, tool)
            return
        _check(ares, capability, plugin)
        found = [tool for tool in ares.registry.list_tools() if _is_wanted(ares, tool, capability, plugin)]
        waiting = {} if capability else _waiting(ares, plugin)
        if as_json:
            more = [{"name": name, "description": why} for name, why in waiting.items()]
            output.document([*(described(ares, tool) for tool in found), *more])
        elif found or waiting:
            more_rows = [(name, "-", "-", "-", why) for name, why in waiting.items()]
            output.table(COLUMNS, [*(_row(ares, tool) for tool in found), *more_rows])
        else:
            output.note("There are no such tools; 'ares plugins' shows what is installed.")


def described(ares: Ares, tool: Tool) -> dict[str, Any]:
    """Give everything there is to know of a tool, as plain data."""
    return {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
        "capabilities": list(ares.registry.capabilities(tool.name)),
        "effects": to_builtins(tool.effects) if isinstance(tool.effects, Effects) else "depends on the arguments",
        "examples": list(tool.examples),
        "aliases": list(tool.aliases),
        "toolset": tool.toolset,
        "timeout": tool.timeout,
        "requires_approval": tool.requires_approval,
        "plugin": ares.registry.owner(tool.name),
    }


def show(ares: Ares, tool: Tool) -> None:
    """Describe one tool for a person."""
    output.answer(f"{tool.name}  ({effects_in_words(tool.effects)}; plugin {ares.registry.owner(tool.name)})")
    output.answer(f"\n{tool.description}\n")
    for name, schema in tool.parameters.get("properties", {}).items():
        output.answer(_parameter(name, schema, name in tool.parameters.get("required", ())))
    if capabilities := ares.registry.capabilities(tool.name):
        output.answer(f"\ncapabilities: {', '.join(capabilities)}")
    for example in tool.examples:
        output.answer(f"ares call {tool.name} --args '{output.json_text(example, indent=None)}'")


def effects_in_words(effects: Any) -> str:
    """Say what a call does to the world.

    >>> effects_in_words(Effects(read_only=True, open_world=False))
    'reads'
    """
    if not isinstance(effects, Effects):
        return "depends on the arguments"
    words = ["reads" if effects.read_only else "destroys" if effects.destructive else "changes"]
    words += ["open world"] * effects.open_world + ["interactive"] * effects.interactive
    return ", ".join(words)


def _named(ares: Ares, name: str) -> Tool:
    with working(f"asking for {name!r:.60}"):
        ares.bring([name])
    found = ares.registry.get(name)
    if found is not None:
        return found
    try:
        return resolve(name, ares.view, ares.table).entry.tool
    except Refused as refused:
        why = sources.why_not(ares, name) or refused.failure
        said = getattr(why, "said", "")
        raise click.UsageError(f"{why.message}\n{said}" if said else why.message) from None


def _check(ares: Ares, capability: str | None, plugin: str | None) -> None:
    """Refuse names of plugins and capabilities that there are none of."""
    plugins = [row.name for row in ares.plugins.rows()]
    if plugin is not None and plugin not in plugins:
        raise no_such("plugin", plugin, plugins)
    if capability is not None and not ares.registry.with_capability(capability):
        named = {one for tool in ares.tools() for one in ares.registry.capabilities(tool)}
        known = {*named, *ares.registry.declared()}
        if capability not in known:
            raise no_such("capability", capability, known)


def _is_wanted(ares: Ares, tool: Tool, capability: str | None, plugin: str | None) -> bool:
    if plugin is not None and ares.registry.owner(tool.name) != plugin:
        return False
    return capability is None or tool.name in ares.registry.with_capability(capability)


def _waiting(ares: Ares, plugin: str | None) -> dict[str, str]:
    """Give the sources whose tools are not known yet; their names begin with that of their plugin."""
    return {
        name: why for name, why in ares.registry.waiting().items() if plugin is None or name.startswith(f"{plugin}.")
    }


def _row(ares: Ares, tool: Tool) -> tuple[str, ...]:
    capabilities = ", ".join(ares.registry.capabilities(tool.name)) or "-"
    owner = ares.registry.owner(tool.name) or "-"
    return tool.name, capabilities, effects_in_words(tool.effects), owner, _first_sentence(tool.description)


def _first_sentence(text: str) -> str:
    sentence, dot, _ = " ".join(text.split()).partition(". ")
    return f"{sentence}." if dot else sentence


def _parameter(name: str, schema: Any, required: bool) -> str:
    schema = schema if isinstance(schema, dict) else {}
    kind = schema.get("type", "any")
    kind = "|".join(kind) if isinstance(kind, list) else kind
    facts = [kind]
    if required:
        facts.append("required")
    if "default" in schema:
        facts.append(f"default {schema['default']!r}")
    return f"  {name}  ({', '.join(facts)})  {schema.get('description', '')}".rstrip()
