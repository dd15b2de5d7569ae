"""Raises when it is asked for files, network and stores."""

from __future__ import annotations

from ares_core import FileAccess, Network, StoreKind, hookimpl


@hookimpl
def open_files() -> FileAccess:
    raise RuntimeError("disk on fire")


@hookimpl
def open_network() -> Network:
    raise RuntimeError("cable cut")


@hookimpl
def open_store(kind: StoreKind) -> object:
    raise RuntimeError("cupboard locked")
