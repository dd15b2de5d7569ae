"""Why a store can't be opened."""

from __future__ import annotations

from ares_core import AresError


class StoreError(AresError):
    """The file can't be used; Ares then keeps things in memory and says so."""
