"""Where the states of the controller stand in their chart, and which ways are taken. No Qt."""

from __future__ import annotations

from dataclasses import dataclass

from fsconsole.neardedicated.view import NightView, Phase

BOX = (112.0, 44.0)
_LEAST_GAP = 24.0
_WORDS_PX = 84.0  # that "window over" needs
_PLACES = {
    Phase.IDLE: (0, 0),
    Phase.SCANNING: (1, 0),
    Phase.PREEMPTING: (2, 0),
    Phase.CHECKPOINTING: (2, 0),
    Phase.RUNNING: (2, 1),
    Phase.DRAINING: (1, 1),
}
# How a job comes to where it is.
_WAY = (Phase.SCANNING, Phase.PREEMPTING, Phase.RUNNING, Phase.DRAINING)


@dataclass(frozen=True, slots=True)
class Box:
    """A state: its place, its line of words, whether it is the present one."""

    phase: Phase
    x: float
    y: float
    width: float
    height: float
    words: str
    is_current: bool


@dataclass(frozen=True, slots=True)
class Edge:
    """A way from state to state with its words; `points` in px, words at the last two numbers."""

    points: tuple[tuple[float, float], ...]
    words: str
    words_at: tuple[float, float]
    is_taken: bool


def boxes_of(night: NightView, width: float, height: float) -> tuple[Box, ...]:
    """The five states; Checkpointing stands for Preempting where the night is a dedicated one."""
    hidden = Phase.CHECKPOINTING if not _is_dedicated(night) else Phase.PREEMPTING
    box_w = min(BOX[0], (width - 2 * _LEAST_GAP) / 3)
    step_x, step_y = (width - box_w) / 2, max(height - BOX[1], BOX[1] + 20)
    return tuple(
        Box(
            phase, column * step_x, row * step_y, box_w, BOX[1],
            night.phase_text.get(phase, ""), phase is night.phase,
        )
        for phase, (column, row) in _PLACES.items()
        if phase is not hidden
    )  # fmt: skip


def edges_of(night: NightView, boxes: tuple[Box, ...]) -> tuple[Edge, ...]:
    """All ways between the boxes."""
    at = {box.phase: box for box in boxes}
    big = at.get(Phase.PREEMPTING) or at[Phase.CHECKPOINTING]
    idle, scan, run, drain = (at[one] for one in (Phase.IDLE, Phase.SCANNING, Phase.RUNNING, Phase.DRAINING))
    ready = "job in memory,\nSDS granted" if big.phase is Phase.PREEMPTING else "all others\nwritten out"
    taken = taken_edges(night, big.phase)
    below = drain.y + drain.height / 2
    elbow = (
        (drain.x, below),
        (idle.x + idle.width / 2, below),
        (idle.x + idle.width / 2, idle.y + idle.height),
    )
    is_tight = drain.x - elbow[1][0] < _WORDS_PX
    over, lift = ("window\nover", 20.0) if is_tight else ("window over", 8.0)
    return (
        _edge(taken, idle, scan, _across(idle, scan)),
        _edge(taken, scan, big, _across(scan, big)),
        _edge(taken, big, run, _down(big, run), ready),
        _edge(taken, run, drain, tuple(reversed(_across(drain, run)))),
        _edge(taken, drain, scan, tuple(reversed(_down(scan, drain))), "window open,\nscan again"),
        Edge(elbow, over, (drain.x - 6, below - lift), (Phase.DRAINING, Phase.IDLE) in taken),
    )


def taken_edges(night: NightView, prepares: Phase) -> set[tuple[Phase, Phase]]:
    """The ways that this job has come, and the last one."""
    way = [prepares if phase is Phase.PREEMPTING else phase for phase in _WAY]
    taken = {night.edge} if night.edge is not None else set()
    if night.phase in way[1:]:
        end = way.index(night.phase)
        taken |= {(way[at], way[at + 1]) for at in range(end)}
    return taken


def _is_dedicated(night: NightView) -> bool:
    if Phase.CHECKPOINTING in (night.phase, *(night.edge or ())):
        return True
    return Phase.CHECKPOINTING in night.phase_text and Phase.PREEMPTING not in night.phase_text


def _edge(
    taken: set[tuple[Phase, Phase]],
    left: Box,
    right: Box,
    points: tuple[tuple[float, float], ...],
    words: str = "",
) -> Edge:
    (x1, y1), (_, y2) = points[0], points[-1]
    return Edge(points, words, (x1 - 6, (y1 + y2) / 2), (left.phase, right.phase) in taken)  # fmt: skip


def _across(left: Box, right: Box) -> tuple[tuple[float, float], ...]:
    y = left.y + left.height / 2
    return (left.x + left.width, y), (right.x, y)


def _down(above: Box, below: Box) -> tuple[tuple[float, float], ...]:
    x = above.x + above.width / 2
    return (x, above.y + above.height), (x, below.y)
