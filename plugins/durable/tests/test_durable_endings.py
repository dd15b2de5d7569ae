"""One look at the database for all that are waited for."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from ares_plugin_durable.endings import AT_ONCE, Endings


def test_all_who_wait_are_told_in_few_looks() -> None:
    looks: list[int] = []

    def look(ids: Sequence[str], states: Sequence[str]) -> list[str]:
        looks.append(len(ids))
        return list(ids)

    async def main() -> None:
        endings = Endings(look)
        await asyncio.gather(*(endings.wait(f"job-{n // 2}") for n in range(4 * AT_ONCE)))
        endings.close()

    asyncio.run(main())
    assert sum(looks) <= 4 * AT_ONCE
    assert max(looks) <= AT_ONCE


def test_who_goes_away_leaves_the_others_waiting_for_the_same_job() -> None:
    over: list[str] = []

    async def main() -> None:
        endings = Endings(lambda ids, states: [one for one in ids if one in over])
        first, second = (asyncio.create_task(endings.wait("job")) for _ in range(2))
        await asyncio.sleep(0)
        first.cancel()
        over.append("job")
        await asyncio.wait_for(second, 60)
        assert first.cancelled()
        endings.close()

    asyncio.run(main())


def test_a_database_that_fails_is_told_to_who_waits() -> None:
    def look(ids: Sequence[str], states: Sequence[str]) -> list[str]:
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        asyncio.run(Endings(look).wait("job"))
