"""What comes before what in a graph, worked out in time that grows with the graph and no faster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

MOST_WRITERS = 2_000
MOST_PAIRS = 100
Before = Mapping[str, Sequence[str]]


def behind_cycles(before: Before) -> list[str]:
    """Give the nodes that wait for a cycle, without being in one or between two."""
    stuck = set(before) - set(in_order(before))
    followers: dict[str, list[str]] = {name: [] for name in stuck}
    for name in stuck:
        for one in set(before[name]) & stuck:
            followers[one].append(name)
    last = set(in_order(followers))
    return [name for name in before if name in last]


def in_order(before: Before) -> list[str]:
    """Give the nodes in an order in which each comes after those before it; nodes in and behind cycles are left out."""
    followers: dict[str, list[str]] = {}
    missing = {}
    for name, names in before.items():
        known = {one for one in names if one in before}
        missing[name] = len(known)
        for one in known:
            followers.setdefault(one, []).append(name)
    order = [name for name, count in missing.items() if not count]
    for name in order:  # it grows while it is read
        for one in followers.get(name, ()):
            missing[one] -= 1
            if not missing[one]:
                order.append(one)
    return order


def side_by_side(before: Before, keys: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, str, str]]:
    """Give the key and two nodes, for each key that two nodes write of which neither comes before the other."""
    names = list(dict.fromkeys(name for writers in keys.values() for name in writers))[:MOST_WRITERS]
    place = {name: 1 << count for count, name in enumerate(names)}
    above = _writers_above(before, place)
    for key, writers in keys.items():
        yield from ((key, one, other) for one, other in _pairs(writers, lambda one, other: (
            above[one] & place[other] or above[other] & place[one]), place))  # fmt: skip


def _pairs(
    writers: Sequence[str], is_ordered: Callable[[str, str], object], known: Mapping[str, int]
) -> Iterator[tuple[str, str]]:
    found = 0
    for count, one in enumerate(writers):
        for other in writers[count + 1 :] if one in known else ():
            if other in known and not is_ordered(one, other):
                found += 1
                yield one, other
            if found == MOST_PAIRS:
                return


def _writers_above(before: Before, place: Mapping[str, int]) -> dict[str, int]:
    """Give, for each node, which of the writers come before it, a bit each."""
    above: dict[str, int] = {}
    for name in in_order(before):
        above[name] = _joined(above[one] | place.get(one, 0) for one in before[name])
    return above


def _joined(masks: Iterable[int]) -> int:
    made = 0
    for mask in masks:
        made |= mask
    return made


__all__ = ["MOST_WRITERS", "behind_cycles", "in_order", "side_by_side"]
