"""Fields of the dialog for a new search, and the search file from them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fsconsole.app.study.choice import TraceFacts, expanded_home, months_in, parts_of
from fsconsole.batch.policy import POLICIES
from fsconsole.batch.search.search_file import parse_search
from fsconsole.batch.search.spec import SearchSpec
from fsconsole.batch.study.bundled import bundled_traces
from fsconsole.shares.scenario.scalars import scalar

SEARCHED = ("relshare", "share-lower", "weighted-usage")
MOST_SHARES = 1000
_HELD_OUT = 4  # One in this many months is held out by default.


@dataclass(frozen=True, slots=True)
class SearchChoice:
    """Choices of the user for a new search, as typed.

    Attributes:
        trace: a bundled trace by name, or a file.
        procs: nodes of the machine; 0 for what the trace's header says.
        train, test: months to choose on and to test on, parted by blanks or commas; test may be empty.
        users: of the group; empty for a search without one.
        share: per cent of what is used that the group is to have.
        within: points by which it may miss that in the worst stretch of `days`; 0 for no bound.
        growth: how many times as long the 95th percentile of any user's waits may be; 0 for no bound.
        baseline: policy that waits are compared with.
        policies: names of the policies tried.
        window, half_life: from and to, such as `2h 14d`; half_life empty for none.
        budget: settings to try.
    """

    name: str
    trace: str = ""
    procs: int = 0
    train: str = ""
    test: str = ""
    users: str = ""
    share: float = 30.0
    within: float = 3.0
    days: int = 7
    growth: float = 1.2
    baseline: str = "fcfs-backfill"
    policies: tuple[str, ...] = SEARCHED
    window: str = "2h 14d"
    half_life: str = "1h 30d"
    budget: int = 1000

    def spec(self, folder: Path) -> SearchSpec:
        """Return the search to store in a folder; ValueError (or ScenarioError) describes a fault."""
        return parse_search(self.text(), folder, self.name)

    def text(self) -> str:
        """Return the search file; ValueError with the reason where it is wrong."""
        if not self.name.strip():
            raise ValueError("Give the search a name.")
        if not self.trace.strip():
            raise ValueError("Choose a trace.")
        train, test, users = months_in(self.train), months_in(self.test), parts_of(self.users)
        if not train:
            raise ValueError("Enter months to choose on. Example: 1996-10 1996-11")
        if not self.policies:
            raise ValueError("Choose at least one policy.")
        is_bundled = self.trace in bundled_traces()
        trace = self.trace if is_bundled else str(expanded_home(Path(self.trace.strip())).absolute())
        lines = ["version: 1", f"name: {_quoted(self.name.strip())}", f"trace: {_quoted(trace)}"]
        lines += [f"procs: {self.procs}"] if self.procs else []
        lines += [f"train: {_list(train)}"]
        lines += [f"test: {_list(test)}"] if test else []
        lines += ["groups:", f"  group: {_list(users)}", "  others: rest"] if users else []
        lines += [f"baseline: {self.baseline}", *self._goals(has_group=bool(users))]
        lines += [*self._space(has_group=bool(users)), f"budget: {self.budget}"]
        return "\n".join(lines) + "\n"

    def _goals(self, *, has_group: bool) -> list[str]:
        lines = ["goals:"]
        if has_group:
            bound = f", at_most: {self.within:g}" if self.within else ""
            share = f"target: {self.share:g} %, over: {self.days}d{bound}"
            lines.append(f"  - {{measure: share, of: group, {share}}}")
        bound = f", at_most: {self.growth:g}" if self.growth else ""
        return [*lines, f"  - {{measure: wait_growth{bound}}}", "  - {measure: avg_bounded_slowdown}"]

    def _space(self, *, has_group: bool) -> list[str]:
        lines = ["space:", f"  policy: {_list(self.policies)}"]
        is_by_user = any(POLICIES[name].is_by_user for name in self.policies)
        if is_by_user:
            lines.append(f"  window: {_range(self.window, 'Window')}")
            if parts_of(self.half_life):
                lines.append(f"  half_life: {_range(self.half_life, 'Half-life')}")
            lines.append("  expected_usage: [true, false]")
        if is_by_user and has_group:
            shares = f"{{from: 1, to: {MOST_SHARES}, scale: log}}"
            lines += ["  shares:", f"    group: {shares}", f"    others: {shares}"]
        return lines


def usual_months(facts: TraceFacts) -> tuple[str, str]:
    """Return months to choose on and to test on: of those that the trace has from their first day, the last
    ones.
    """
    months = [month.name for month in facts.months]
    whole = months[1:-1] if len(months) > _HELD_OUT else months
    held = max(1, len(whole) // _HELD_OUT) if len(whole) > 1 else 0
    return " ".join(whole[: len(whole) - held]), " ".join(whole[len(whole) - held :])


def _range(text: str, name: str) -> str:
    ends = parts_of(text)
    if len(ends) == 1:
        return ends[0]
    if len(ends) != 2:
        msg = f"{name}: write from and to. Example: 2h 14d"
        raise ValueError(msg)
    return f"{{from: {_quoted(ends[0])}, to: {_quoted(ends[1])}, scale: log}}"


def _list(texts: tuple[str, ...]) -> str:
    return f"[{', '.join(map(_quoted, texts))}]"


def _quoted(text: str) -> str:
    return scalar(text, in_flow=True)
