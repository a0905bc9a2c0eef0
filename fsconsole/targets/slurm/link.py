"""How a cluster answers, all in all, by how the reading of its parts goes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fsconsole.targets.slurm.state import Link, Part, PartName

SLOW_S = 5.0
TIMES_USUAL = 3.0
_QUICK_S = 1.0  # nobody minds, however much quicker it is usually
_STANDS_S = 10.0  # how long a slow reading speaks for the cluster, if others since then were quick


def link_of(parts: Mapping[PartName, Part], usual_s: Mapping[PartName, float], now_s: float) -> Link:
    """The link; `usual_s` is how long the reading of a part takes otherwise, `now_s` since 1970."""
    tried = [part for part in parts.values() if part.as_of_s is not None or part.problem]
    failing = [part for part in tried if part.problem]
    if failing and all(part.problem or _is_outdated(name, part, failing) for name, part in parts.items()):
        return Link.NO_ANSWER
    if len(failing) == len(tried):  # and what has not been tried waits for those that fail
        return Link.CONNECTING
    if failing:
        return Link.PARTLY
    slow = [name for name in parts if is_slow(parts[name], usual_s.get(name), now_s)]
    return Link.SLOW if any(not _is_over(name, parts, slow, now_s) for name in slow) else Link.ANSWERS


def _is_over(name: PartName, parts: Mapping[PartName, Part], slow: Sequence[PartName], now_s: float) -> bool:
    """Whether a slow reading says nothing of now: a while ago, and the same daemon has been quick since then.

    Some parts are read so seldom that a cluster that is well again would look slow for minutes. The tree is
    the only part that slurmdbd is asked for: nothing else speaks for it.
    """
    part = parts[name]
    if name is PartName.TREE or part.is_reading or part.as_of_s is None:
        return False
    ended_s = part.as_of_s + part.took_s
    quick = (one for other, one in parts.items() if other is not PartName.TREE and other not in slow)
    return now_s - ended_s >= _STANDS_S and any(
        one.as_of_s is not None and one.as_of_s > ended_s for one in quick
    )


def _is_outdated(name: PartName, part: Part, failing: Sequence[Part]) -> bool:
    """Whether a part that was read well says nothing of now: usage is read too seldom for that."""
    tried_s = min(one.began_s for one in failing)
    return name is PartName.USAGE and part.as_of_s is not None and part.as_of_s < tried_s


def is_slow(part: Part, usual_s: float | None, now_s: float) -> bool:
    """Whether a reading takes longer than it should, or the last one did."""
    took_s = max(part.took_s, now_s - part.began_s if part.is_reading else 0.0)
    limit_s = SLOW_S if usual_s is None else min(SLOW_S, max(_QUICK_S, TIMES_USUAL * usual_s))
    return took_s > limit_s
