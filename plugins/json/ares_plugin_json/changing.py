"""Changing documents: JSON Merge Patch (RFC 7396) and JSON Patch (RFC 6902), all of it or nothing."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from ares_core import ToolError
from ares_plugin_json.comparing import Budget, same
from ares_plugin_json.pointers import find, index_of, kind_of, tokens, written
from ares_plugin_json.writing import scalar

MOST_OPERATIONS = 1_000
LARGEST = 10_000_000
"""Characters that a document may have after all that was added and copied."""
NEEDS = {
    "add": ("path", "value"),
    "remove": ("path",),
    "replace": ("path", "value"),
    "move": ("from", "path"),
    "copy": ("from", "path"),
    "test": ("path", "value"),
}


def merge(target: Any, patch: Any) -> Any:
    """Merge as RFC 7396 says: objects key by key, ``null`` takes a key away, anything else replaces.

    >>> merge({"a": 1, "b": {"c": 2, "d": 3}}, {"a": None, "b": {"c": 4}})
    {'b': {'c': 4, 'd': 3}}
    """
    if type(patch) is not dict:
        return patch
    merged = dict(target) if type(target) is dict else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = merge(merged.get(key), value)
    return merged


def patched(document: Any, patch: Any) -> Any:
    """Apply every operation of a JSON Patch to a copy; the first that can't be done refuses them all.

    >>> patched({"a": [1]}, [{"op": "add", "path": "/a/-", "value": 2}])
    {'a': [1, 2]}
    """
    if type(patch) is not list:
        raise _refusal(f"a JSON Patch is an array of operations, not {kind_of(patch)}", 'such as [{"op": "remove", …}]')
    if len(patch) > MOST_OPERATIONS:
        raise _refusal(f"the patch has {len(patch):,} operations, more than {MOST_OPERATIONS:,}", "send it in parts")
    patching = _Patching(document)
    for number, operation in enumerate(patch, 1):
        try:
            patching.apply(_read(operation))
        except ToolError as error:
            raise _refusal(
                f"operation {number} of {len(patch)} can't be done: {error.message.partition('; nothing')[0]}",
                error.hint or "correct it, and send the whole patch again",
            ) from None
    return patching.root


class _Operation(Struct, frozen=True):
    name: str
    path: list[str]
    source: list[str]
    value: Any


def _read(given: Any) -> _Operation:
    """Read one operation; members that the standard doesn't know are passed over, as it says."""
    if type(given) is not dict:
        raise _refusal(f"it is {kind_of(given)}, not an object", "write it as an object with op and path")
    name = given.get("op")
    if type(name) is not str or name not in NEEDS:
        raise _refusal(f"op is {str(name)[:40]!r}", f"there are {', '.join(NEEDS)}")
    missing = [member for member in NEEDS[name] if member not in given]
    if missing:
        raise _refusal(f"{name} has no {missing[0]!r}", f"{name} needs {' and '.join(NEEDS[name])}")
    for member in ("path", "from"):
        if member in NEEDS[name] and type(given[member]) is not str:
            raise _refusal(f"{member} is {kind_of(given[member])}", "write it as a JSON Pointer such as /a/0")
    source = tokens(given["from"]) if "from" in NEEDS[name] else []
    return _Operation(name, tokens(given["path"]), source, given.get("value"))


class _Patching:
    def __init__(self, document: Any) -> None:
        self.root = _copy(document)
        self.room = LARGEST - weight(document)

    def apply(self, operation: _Operation) -> None:
        getattr(self, f"_{operation.name}")(operation)

    def _add(self, operation: _Operation) -> None:
        self._insert(operation.path, self._new(operation.value))

    def _remove(self, operation: _Operation) -> None:
        self._take(operation.path)

    def _replace(self, operation: _Operation) -> None:
        find(self.root, operation.path)
        value = self._new(operation.value)
        if operation.path:
            container, key = self._place(operation.path)
            container[key] = value
        else:
            self.root = value

    def _move(self, operation: _Operation) -> None:
        source, path = operation.source, operation.path
        if path[: len(source)] == source and len(path) > len(source):
            raise _refusal("a value can't be moved into itself", "copy it")
        if source == path:
            find(self.root, source)
        else:
            self._insert(path, self._take(source))

    def _copy(self, operation: _Operation) -> None:
        self._insert(operation.path, self._new(find(self.root, operation.source)))

    def _test(self, operation: _Operation) -> None:
        found = find(self.root, operation.path)
        if not same(found, operation.value, Budget(LARGEST, "the comparison", "test a part")):
            where = written(operation.path) or "the root"
            raise _refusal(
                f"the test failed: at {where[:80]} is {shown(found)}, not {shown(operation.value)}", "read it again"
            )

    def _new(self, value: Any) -> Any:
        """Copy a value to be put in, if there is room: copies of copies grow without end."""
        self.room -= weight(value)
        if self.room < 0:
            raise _refusal(f"the document would have more than {LARGEST:,} characters", "copy less")
        return _copy(value)

    def _insert(self, path: list[str], value: Any) -> None:
        if not path:
            self.root = value
            return
        container = self._container(path)
        if type(container) is list:
            container.insert(index_of(container, path[-1], written(path[:-1]), past_end=True), value)
        else:
            container[path[-1]] = value

    def _take(self, path: list[str]) -> Any:
        if not path:
            raise _refusal("the whole document can't be taken away", "replace it")
        find(self.root, path)
        container, key = self._place(path)
        return container.pop(key)

    def _place(self, path: list[str]) -> tuple[Any, Any]:
        """Give the container of what a path leads to, and its key or index there."""
        container = self._container(path)
        return container, int(path[-1]) if type(container) is list else path[-1]

    def _container(self, path: list[str]) -> Any:
        container = find(self.root, path[:-1])
        if type(container) not in (dict, list):
            where = written(path[:-1]) or "the root"
            raise _refusal(f"{where[:80]} is {kind_of(container)}, which has no parts", "add to an object or an array")
        return container


def weight(value: Any) -> int:
    """Give about how many characters a value takes when it is written."""
    if type(value) is dict:
        return 2 + sum(len(key) + 4 + weight(item) for key, item in value.items())
    if type(value) is list:
        return 2 + sum(2 + weight(item) for item in value)
    return len(value) + 2 if type(value) is str else 8


def shown(value: Any) -> str:
    """Write a value in a few characters."""
    if type(value) in (dict, list):
        return f"{kind_of(value)} with {len(value)} part{'' if len(value) == 1 else 's'}"
    text = scalar(value)
    return text if len(text) <= 60 else f"{text[:60]}…"


def _copy(value: Any) -> Any:
    if type(value) is dict:
        return {key: _copy(item) for key, item in value.items()}
    return [_copy(item) for item in value] if type(value) is list else value


def _refusal(message: str, hint: str) -> ToolError:
    return ToolError(f"{message}; nothing was changed", hint=hint, blame="input")
