"""A store plugin: evidence, events, the ledger and approvals in SQLite files that any number of processes may share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ares_core import hookimpl

if TYPE_CHECKING:
    from ares_core import ApprovalStore, EventStore, EvidenceStore, Host, LedgerStore

    Store = EvidenceStore | EventStore | LedgerStore | ApprovalStore
KINDS = ("evidence", "events", "ledger", "approvals")


@hookimpl
def open_store(kind: str, host: Host) -> Store | None:
    """Open a store of one kind; unknown kinds are not kept here."""
    if kind not in KINDS:
        return None
    from ares_plugin_store_sqlite.database import Database
    from ares_plugin_store_sqlite.settings import checked

    settings = checked(host.config)
    database = Database(settings.path, host.log, precious=kind in ("ledger", "approvals"))
    if kind == "evidence":
        from ares_plugin_store_sqlite.evidence import SqliteEvidence

        return SqliteEvidence(database, host.log)
    if kind == "events":
        from ares_plugin_store_sqlite.events import SqliteEvents

        return SqliteEvents(database, settings.max_events, settings.max_age_days)
    if kind == "ledger":
        from ares_plugin_store_sqlite.ledger import SqliteLedger

        return SqliteLedger(database, host.log)
    from ares_plugin_store_sqlite.approvals import SqliteApprovals

    return SqliteApprovals(database)
