"""A store plugin: evidence and events in one SQLite file that any number of processes may share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ares_core import hookimpl

if TYPE_CHECKING:
    from ares_core import EventStore, EvidenceStore, Host


@hookimpl
def open_store(kind: str, host: Host) -> EvidenceStore | EventStore | None:
    """Open the store for evidence or for events; other kinds are not kept here."""
    if kind not in ("evidence", "events"):
        return None
    from ares_plugin_store_sqlite.database import Database
    from ares_plugin_store_sqlite.events import SqliteEvents
    from ares_plugin_store_sqlite.evidence import SqliteEvidence
    from ares_plugin_store_sqlite.settings import checked

    settings = checked(host.config)
    database = Database(settings.path, host.log)
    if kind == "evidence":
        return SqliteEvidence(database, host.log)
    return SqliteEvents(database, host.log, settings.max_events)
