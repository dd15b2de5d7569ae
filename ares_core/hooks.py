"""One typed method for each hook, with the rule for a plugin that raises next to it.

Plugins are asked one by one in name order, because pluggy's own loop stops at the first exception and throws away
what the others said.
"""

from __future__ import annotations

import contextlib
import logging
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar, get_args

from msgspec.structs import replace

from ares_core.answers import Guard, Observer, raised
from ares_core.calls import Effects
from ares_core.capabilities import Capability
from ares_core.errors import ConfigError, PluginError, RegistrationError, said_by, shown
from ares_core.formats import WireFormat
from ares_core.plugins import Implementation, Plugins
from ares_core.protocols import FileAccess, Layer, LayerKind, Network, StoreKind
from ares_core.rules import Rule, RuleSet
from ares_core.tools import Tool, as_tool

if TYPE_CHECKING:
    from ares_core.events import Event

log = logging.getLogger("ares")
PROVIDES = {"open_files": ("open", "write", "stat", "list"), "open_network": ("client", "connect")}
"""Of what a provider has at least one."""
MOST = 100_000
"""How much one plugin may give for one hook; a generator may have no end."""
T = TypeVar("T")


class Hooks:
    """What the core asks of its plugins. ``host_of`` gives what a plugin is handed when it asks for ``host``."""

    def __init__(self, plugins: Plugins, host_of: Callable[[str], Any]) -> None:
        self.plugins = plugins
        self.host_of = host_of
        self._given: dict[tuple[str, str], list[Any]] = {}

    def forget(self, plugin: str) -> None:
        """Drop what a plugin contributed, after it went."""
        self._given = {key: given for key, given in self._given.items() if key[1] != plugin}

    def configuration(self, plugin: str) -> type[Any] | None:
        """Give the plugin's own configuration model. If it raises, the plugin is not used."""
        for implementation in self._of("configuration", plugin):
            try:
                model: type[Any] | None = self._ask(implementation)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                self.plugins.fail(plugin, f"configuration() {raised(error)}")
                return None
            if model is None or hasattr(model, "model_validate") or hasattr(model, "__struct_fields__"):
                return model
            self.plugins.fail(plugin, f"configuration() gave {shown(model)}, which is no pydantic model or Struct")
        return None

    def tools(self) -> Iterator[tuple[str, Tool]]:
        """Give every plugin's tools. One that raises contributes none; a bad tool loses only itself."""
        for plugin, given in self._collect("register_tools", as_tool):
            yield from ((plugin, tool) for tool in given)

    def capabilities(self) -> dict[str, Capability]:
        """Give all declared capabilities, those of one name joined. Differing types: the later plugin gets a row."""
        joined: dict[str, Capability] = {}
        for plugin, given in self._collect("declare_capabilities", _as_capability):
            for capability in given:
                known = joined.get(capability.name)
                if known and (known.inputs, known.outputs) != (capability.inputs, capability.outputs):
                    self._trouble(
                        plugin,
                        f"capability {capability.name!r} is declared with {known.inputs} → {known.outputs} elsewhere, "
                        f"here with {capability.inputs} → {capability.outputs}; use the same types or another name",
                    )
                else:
                    joined[capability.name] = _join(known, capability) if known else capability
        return joined

    def rule_sets(self) -> Iterator[tuple[str, RuleSet]]:
        """Give every plugin's rule sets. One that raises contributes none."""
        for plugin, given in self._collect("register_rule_sets", _as_rule_set):
            yield from ((plugin, rule_set) for rule_set in given)

    def wire_formats(self) -> Iterator[tuple[str, WireFormat]]:
        """Give every plugin's wire formats. One that raises contributes none."""
        for plugin, given in self._collect("register_wire_formats", _as(WireFormat)):
            yield from ((plugin, wire_format) for wire_format in given)

    def middleware(self) -> list[Layer]:
        """Give all layers, outermost first. A plugin that raises contributes none."""
        layers = [
            (layer.order, plugin, layer)
            for plugin, given in self._collect("register_middleware", _as_layer)
            for layer in given
        ]
        return [layer for _, _, layer in sorted(layers, key=lambda entry: entry[:2])]

    def files(self, provider: str | None) -> FileAccess | None:
        """Give the one file provider. If it raises, file tools refuse; two providers are a configuration error."""
        return self._only("open_files", "files.provider", provider)

    def network(self, provider: str | None) -> Network | None:
        """Give the one network provider. If it raises, every connection is refused."""
        return self._only("open_network", "network.provider", provider)

    def store(self, kind: StoreKind, plugin: str) -> Any:
        """Give the store that the named plugin keeps; the caller decides what a failure means."""
        row = self.plugins.row(plugin)
        if row is not None and row.state != "loaded":
            raise PluginError(f"the plugin is {row.state}")
        if row is None or not (found := self._of("open_store", plugin)):
            there = ", ".join(sorted({each.plugin for each in self.plugins.implementations("open_store")})) or "none"
            raise ConfigError(
                f"stores.{kind} is {plugin!r}, but no plugin of that name keeps stores (there is: {there})"
            )
        store = self._ask(found[0], kind=kind)
        if store is None:
            raise ConfigError(f"stores.{kind} is {plugin!r}, but that plugin keeps no {kind}")
        return store

    def guards(self, tool: Tool) -> tuple[Guard, ...]:
        """Give the functions that may stop a call of this tool, in the order they are asked."""
        return tuple(self._for_tool("pre_tool_call", tool, "call"))

    def observers(self, tool: Tool | None) -> tuple[Observer, ...]:
        """Give the functions that look at a result of this tool, or of a call whose tool nobody knows."""
        return tuple(self._for_tool("post_tool_call", tool, "result"))

    def formatters(self, tool: str, owner: str | None) -> tuple[Observer, ...]:
        """Give the functions that may write this tool's text: its own plugin's first, then those that name it."""
        found = self.plugins.implementations("format_result")
        own = [i for i in found if i.plugin == owner and (not i.tools or tool in i.tools)]
        others = [i for i in found if i.plugin != owner and tool in i.tools]
        return tuple((i.plugin, self._one(i, "result")) for i in (*own, *others))

    def listeners(self) -> tuple[tuple[str, Callable[[Event], Any]], ...]:
        """Give the functions that want events."""
        return tuple((i.plugin, self._one(i, "event")) for i in self.plugins.implementations("on_event"))

    def _for_tool(self, hook: str, tool: Tool | None, argument: str) -> Iterator[tuple[str, Callable[[Any], Any]]]:
        for implementation in self.plugins.implementations(hook):
            named = not implementation.tools or (tool is not None and tool.name in implementation.tools)
            if named and _may_touch(tool, implementation):
                yield implementation.plugin, self._one(implementation, argument)

    def _one(self, implementation: Implementation, argument: str) -> Callable[[Any], Any]:
        """Make a function of the one value that changes from call to call."""
        if implementation.takes == (argument,):
            return implementation.function
        if implementation.takes == (argument, "host"):
            function, host = implementation.function, self.host_of(implementation.plugin)
            return lambda value: function(value, host)
        given = {"host": self.host_of(implementation.plugin)} if "host" in implementation.takes else {}
        return lambda value: implementation.ask(**{argument: value, **given})

    def _of(self, hook: str, plugin: str) -> list[Implementation]:
        return [i for i in self.plugins.implementations(hook) if i.plugin == plugin]

    def _ask(self, implementation: Implementation, **given: Any) -> Any:
        if "host" in implementation.takes:
            given["host"] = self.host_of(implementation.plugin)
        with contextlib.redirect_stdout(sys.stderr):
            return implementation.ask(**given)

    def _collect(self, hook: str, read: Callable[[Any], Any]) -> Iterator[tuple[str, list[Any]]]:
        """Give each plugin's contributions; it is asked once, however often others come and go."""
        for implementation in self.plugins.implementations(hook):
            plugin = implementation.plugin
            if (hook, plugin) not in self._given:
                self._given[hook, plugin] = list(self._contributions(implementation, hook, read))
            yield plugin, self._given[hook, plugin]

    def _contributions(self, implementation: Implementation, hook: str, read: Callable[[Any], Any]) -> Iterator[Any]:
        try:
            answer = self._ask(implementation)
            if not _is_list(answer):
                self._trouble(implementation.plugin, f"{hook}() gave {shown(answer)}; give a list")
                return
            given = list(islice(answer or (), MOST + 1))
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            self._trouble(implementation.plugin, f"{hook}() {raised(error)}")
            return
        if len(given) > MOST:
            self._trouble(implementation.plugin, f"{hook}() gives more than {MOST:,}, so none is taken; does it end?")
            return
        for value in given:
            try:
                yield read(value)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                why = str(error) if isinstance(error, RegistrationError) else said_by(error)
                self._trouble(implementation.plugin, f"{hook}(): {shown(value)} is left out: {why}")

    def _only(self, hook: str, key: str, provider: str | None) -> Any | None:
        found = self.plugins.implementations(hook)
        if provider:
            found = tuple(i for i in found if i.plugin == provider)
            if not found:
                raise ConfigError(f"{key} is {provider!r}, but no installed plugin of that name answers {hook}")
        answers = []
        for implementation in found:
            plugin = implementation.plugin
            if (hook, plugin) not in self._given:
                self._given[hook, plugin] = self._answers(implementation, hook)
            answers += [(plugin, answer) for answer in self._given[hook, plugin]]
        if len(answers) > 1:
            raise ConfigError(f"{answers[0][0]} and {answers[1][0]} both answer {hook}; choose one with {key}")
        return answers[0][1] if answers else None

    def _answers(self, implementation: Implementation, hook: str) -> list[Any]:
        """Ask for the one thing that this plugin may give; it is asked once, however often others come and go."""
        try:
            answer = self._ask(implementation)
        except (ConfigError, KeyboardInterrupt):
            raise
        except BaseException as error:
            self._trouble(implementation.plugin, f"{hook}() {raised(error)}")
            return []
        if answer is None:
            return []
        if not any(callable(getattr(answer, name, None)) for name in PROVIDES[hook]):
            self._trouble(implementation.plugin, f"{hook}() gave {shown(answer)}, which has no {PROVIDES[hook][0]}()")
            return []
        return [answer]

    def _trouble(self, plugin: str, text: str) -> None:
        if self.plugins.strict:
            raise PluginError(f"plugin {plugin}: {text}")
        log.warning("plugin %s: %s", plugin, text)
        self.plugins.note(plugin, text)


def _may_touch(tool: Tool | None, implementation: Implementation) -> bool:
    """Whether a tool may touch a resource that a function is limited to; effects that depend on arguments may."""
    if not implementation.resources or tool is None or not isinstance(tool.effects, Effects):
        return True
    return any(
        _may_begin(resource, beginning) for resource in tool.effects.resources for beginning in implementation.resources
    )


def _may_begin(resource: str, beginning: str) -> bool:
    """Whether a resource begins so, whatever arguments are put into its braces."""
    fixed, brace, _ = resource.partition("{")
    return fixed.startswith(beginning) or (bool(brace) and beginning.startswith(fixed))


def _is_list(answer: Any) -> bool:
    return answer is None or isinstance(answer, Iterable) and not isinstance(answer, str | Mapping)


def _as(kind: type[T]) -> Callable[[Any], T]:
    def read(value: Any) -> T:
        if not isinstance(value, kind):
            raise RegistrationError(f"it is no {kind.__name__}")
        return value

    return read


def _as_rule_set(value: Any) -> RuleSet:
    rule_set = _as(RuleSet)(value)
    if not isinstance(rule_set.name, str) or not isinstance(rule_set.extractors, Mapping):
        raise RegistrationError("its name is text, its extractors a mapping of functions")
    if isinstance(rule_set.rules, str) or not all(isinstance(rule, Rule) for rule in rule_set.rules):
        raise RegistrationError("its rules are a list of Rule")
    if wrong := next((rule for rule in rule_set.rules if isinstance(rule.phrases, str)), None):
        raise RegistrationError(f"the phrases of rule {wrong.name!r} are a list, not a text")
    return rule_set


def _as_capability(value: Any) -> Capability:
    capability = _as(Capability)(value)
    for field in ("aliases", "inputs", "outputs", "implies", "tools"):
        if isinstance(getattr(capability, field), str):
            raise RegistrationError(f"{field} is a list, not the text {getattr(capability, field)!r}")
    return capability


def _as_layer(value: Any) -> Layer:
    layer = _as(Layer)(value)
    if layer.kind not in get_args(LayerKind):
        raise RegistrationError(f"there is no kind {layer.kind!r}; there are {', '.join(get_args(LayerKind))}")
    if layer.kind.startswith("llm_") and layer.tools:
        raise RegistrationError(f"a layer of kind {layer.kind!r} is around the model; it can't be limited to tools")
    if not callable(layer.run) or not isinstance(layer.order, int | float) or layer.on_error not in ("fail", "skip"):
        raise RegistrationError("run is a function, order a number, on_error 'fail' or 'skip'")
    return replace(layer, tools=(layer.tools,)) if isinstance(layer.tools, str) else layer


def _join(known: Capability, more: Capability) -> Capability:
    return replace(
        known,
        aliases=tuple(sorted({*known.aliases, *more.aliases})),
        implies=tuple(sorted({*known.implies, *more.implies})),
        tools=tuple(sorted({*known.tools, *more.tools})),
    )
