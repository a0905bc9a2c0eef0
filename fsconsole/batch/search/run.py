"""Running of a search: generation after generation, each setting only once, also after an interruption."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
import polars as pl

from fsconsole.batch.job_table import Floats
from fsconsole.batch.search.evolve import children, distinct, sample
from fsconsole.batch.search.folder import (
    FORMAT,
    HELD_OUT,
    PARTS,
    PLAN,
    POINTS,
    SEARCH,
    SETTINGS,
    Months,
    SearchFolder,
    Tried,
    axis_columns,
    excess_of,
    goal_columns,
    is_of_other_version,
    plan_text,
    settings_table,
    small_is_better,
    tried_in,
)
from fsconsole.batch.search.judge import Case
from fsconsole.batch.search.pareto import best_front, chosen_of_front, fittest
from fsconsole.batch.search.plan import SearchPlan, plan_search
from fsconsole.batch.search.space import Setting
from fsconsole.batch.search.spec import SearchSpec
from fsconsole.batch.search.task import VALUES, SettingsTask, unpacked
from fsconsole.batch.study.held_folder import hold_folder, keeper_of_jobs
from fsconsole.batch.study.spec import StudyError
from fsconsole.batch.study.task import WorkExecutor
from fsconsole.shares.files import write_atomic
from fsconsole.shares.input_files import read_limited
from fsconsole.shares.stored_format import FormatError, OtherProgramError
from fsconsole.text.table_files import table_bytes

_POLL_S = 0.1
_CHUNK = 10  # A task of this many settings takes a fraction of a second.
_GROWTH = 1.25  # Settings are written again after growing by this factor.


@dataclass(frozen=True, slots=True)
class SearchEvent:
    """The progress of a search.

    Attributes:
        done, total: numbers of settings.
        meets: number of settings within all bounds so far.
        phase: present phase: `search`, `held-out months`, `done`.
        left_s: expected time to the end of the search, seconds; None if unknown.
    """

    done: int
    total: int
    meets: int
    phase: str
    left_s: float | None = None


def run_search(
    spec: SearchSpec,
    text: str,
    folder: Path,
    executor: WorkExecutor,
    on_event: Callable[[SearchEvent], None] = lambda _event: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> SearchFolder:
    """Try the settings that a search's folder lacks, then test the front on held-out months.

    Args:
        spec: the search.
        text: text of its file, which is stored.
        folder: folder of results; those present are not computed again.
        executor: computes settings.
        on_event: called with the progress.
        cancelled: returns whether to stop; finished settings are kept.

    Raises:
        StudyError: the folder belongs to something else or is in use, the trace or its users cannot be used,
            or a task or the executor has failed.
        ScenarioError: the share tree cannot be used.
        OSError: a file cannot be read or written.
    """
    lock = hold_folder(folder, PLAN, "search")
    try:
        plan = _prepare(spec, text, folder)
        try:
            _Running(plan, SearchFolder(folder), executor, on_event, cancelled).run()
        finally:
            executor.abandon()
        return SearchFolder(folder)
    finally:
        lock.release()


def _prepare(spec: SearchSpec, text: str, folder: Path) -> SearchPlan:
    """Read the trace and store it with the plan.

    Raises:
        StudyError: the folder is another search's.
    """
    plan = plan_search(spec, keeper_of_jobs(folder))
    known: dict[str, Any] = {}
    try:
        known = FORMAT.read(folder / PLAN, dict)
    except OtherProgramError as error:
        raise StudyError(f"{error}. Use that one, or another folder") from None
    except (OSError, FormatError):
        pass  # It is missing or damaged, and made again.
    is_other = isinstance(known.get("digest"), str) and known["digest"] != plan.digest
    if is_other and (folder / SETTINGS).exists():
        msg = f"{folder} holds another search (its goals, space, months, budget or seed differ)"
        if is_of_other_version(known):
            msg = f"the results in {folder} are of another version of fsconsole, and stay as they are"
        raise StudyError(f"{msg}. Choose another folder")
    write_atomic(folder / PLAN, plan_text(plan))
    write_atomic(folder / SEARCH, text)
    return plan


@dataclass(slots=True)
class _Running:
    """A run that computes the missing results of a folder."""

    plan: SearchPlan
    folder: SearchFolder
    executor: WorkExecutor
    on_event: Callable[[SearchEvent], None]
    cancelled: Callable[[], bool]
    tried: Tried = field(init=False)
    known: Tried = field(init=False)
    seen: set[str] = field(default_factory=set)
    # The start of workers comes before the first chunk is done, and must not count.
    first_at: float | None = None
    computed: int = 0  # Only settings since then count.
    is_stopped: bool = False

    def run(self) -> None:
        plan, spec = self.plan, self.plan.spec
        months = self.folder.train.names
        self.tried = Tried.none(len(spec.axes), len(spec.goals), len(months))
        self.known = self._kept(months)
        written = len(self.known)
        base = self._judged(plan.train, "base", [None])
        if base is None:
            return
        self._check_measured(base[0, :, 0])
        parents = np.zeros(0, dtype=np.int64)
        while len(self.tried) < spec.budget:
            before = len(self.tried)
            genes = self._next(parents)
            if not len(genes):
                break
            values = self._values_of(genes)
            if values is None:
                break
            self.tried.add(genes, values)
            pool = np.concatenate([parents, np.arange(before, len(self.tried))])
            parents = pool[self._fittest(pool)]
            self._say("search")
            if len(self.tried) >= _GROWTH * written and len(self.tried) > len(self.known):
                self._write()
                written = len(self.tried)
                self._forget_parts()
        self._write()
        if not self.is_stopped:
            self._test_points(base)
            self._forget_parts()
            self._say("done")

    def _kept(self, months: list[str]) -> Tried:
        """Return the settings in the folder; none if they cannot be read."""
        with suppress(StudyError, ValueError, KeyError, TypeError, pl.exceptions.PolarsError):
            return tried_in(self.plan.spec, months, self.folder.settings())
        return Tried.none(len(self.plan.spec.axes), len(self.plan.spec.goals), len(months))

    def _check_measured(self, base: Floats) -> None:
        for goal, value in zip(self.plan.spec.goals, base.tolist(), strict=True):
            if not isfinite(value):
                why = (
                    f"no user has {goal.fewest_jobs} or more jobs in these months. Lower fewest_jobs"
                    if goal.measure == "wait_growth"
                    else "it has no job in these months"
                )
                msg = f"{goal.label} cannot be measured: {why}"
                raise StudyError(msg)

    def _next(self, parents: np.ndarray[Any, np.dtype[np.int64]]) -> Floats:
        """Return genes of the next generation; none if the space has no more settings."""
        spec, space = self.plan.spec, self.plan.space
        count = min(spec.population, spec.budget - len(self.tried))
        number = self.tried.generation[-1] + 1 if self.tried.generation else 0
        rng = np.random.default_rng([spec.seed, number])
        values = small_is_better(spec, self.tried.values[:, :, 0])
        excess = excess_of(spec, self.tried.values[:, :, 0])

        def draw(many: int) -> Floats:
            if spec.method == "sample" or not len(parents):
                return sample(many, space.size, rng)
            chosen = self.tried.genes[parents], values[parents], excess[parents]
            return children(*chosen, many, space.choices, rng)

        def identity(genes: Floats) -> str:
            return space.identity(space.setting(genes.tolist()))

        found, is_full = distinct(draw, identity, self.seen, count)
        if not is_full:  # All children are known, so the whole space is sampled.
            more, _ = distinct(
                lambda many: sample(many, space.size, rng), identity, self.seen, count - len(found)
            )
            found += more
        return np.array(found, dtype=np.float64).reshape(-1, space.size)

    def _fittest(self, pool: np.ndarray[Any, np.dtype[np.int64]]) -> np.ndarray[Any, np.dtype[np.int64]]:
        spec = self.plan.spec
        values = self.tried.values[pool][:, :, 0]
        count = min(spec.population, len(pool))
        return fittest(small_is_better(spec, values), excess_of(spec, values), count)

    def _values_of(self, genes: Floats) -> Floats | None:
        """Return stored or computed values of a generation; None if the search was stopped."""
        first, last = len(self.tried), len(self.tried) + len(genes)
        if len(self.known) >= last and (self.known.genes[first:last] == genes).all():
            return self.known.values[first:last]
        settings = [self.plan.space.setting(row) for row in genes.tolist()]
        return self._judged(self.plan.train, f"{first:07d}", settings, counts=True)

    def _judged(
        self, case: Case, name: str, settings: Sequence[Setting | None], *, counts: bool = False
    ) -> Floats | None:
        """Return values of settings (None: baseline), [settings, goals, 1 + months]; None if stopped."""
        shape = (len(case.asked), 1 + len(case.periods))
        chunks = [settings[place : place + _CHUNK] for place in range(0, len(settings), _CHUNK)]
        answers: list[Floats | None] = [
            self._part(f"{name}-{place:03d}", (len(chunk), *shape)) for place, chunk in enumerate(chunks)
        ]
        waiting = [place for place, answer in enumerate(answers) if answer is None][::-1]
        under_way: dict[str, int] = {}
        jobs = self.folder.path / "workloads" / self.plan.source
        while waiting or under_way:
            if self.cancelled():
                self.is_stopped = True
                return None
            while waiting and self.executor.room() > 0:
                place = waiting.pop()
                task = self._task(case, f"{name}-{place:03d}", chunks[place])
                under_way[task.key] = place
                self.executor.submit(task, jobs)
            for answer in self.executor.answers(_POLL_S):
                if answer.kind == "started":
                    continue
                place = under_way.pop(answer.key)
                if answer.files is None:
                    msg = f"settings could not be evaluated: {answer.text}"
                    raise StudyError(msg)
                data = answer.files[VALUES]
                answers[place] = unpacked(data, (len(chunks[place]), *shape))
                self._keep_part(f"{name}-{place:03d}", data)
                if counts:
                    self._count(len(chunks[place]))
                    self._say("search", len(self.tried) + sum(len(one) for one in answers if one is not None))
        return np.concatenate([one for one in answers if one is not None])

    def _task(self, case: Case, key: str, chunk: Sequence[Setting | None]) -> SettingsTask:
        space = self.plan.space
        policies = tuple(self.plan.spec.baseline if one is None else one.policy for one in chunk)
        shares = None
        if space.tree is not None:
            shares = np.stack([space.user_shares(() if one is None else one.shares) for one in chunk])
        return SettingsTask(f"{self.plan.digest}-{key}", case, policies, shares)

    def _part(self, key: str, shape: tuple[int, ...]) -> Floats | None:
        with suppress(OSError, ValueError, EOFError):
            return unpacked(read_limited(self.folder.path / PARTS / f"{key}.npy"), shape)
        return None

    def _keep_part(self, key: str, data: bytes) -> None:
        path = self.folder.path / PARTS / f"{key}.npy"
        path.parent.mkdir(exist_ok=True)
        write_atomic(path, data, sync=False)

    def _forget_parts(self) -> None:
        """Remove the parts that are in the table."""
        shutil.rmtree(self.folder.path / PARTS, ignore_errors=True)

    def _front(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        spec, values = self.plan.spec, self.tried.values[:, :, 0]
        return best_front(small_is_better(spec, values), excess_of(spec, values))

    def _write(self) -> None:
        if not len(self.tried):
            return
        table = settings_table(
            self.plan.spec, self.plan.space, self.folder.train.names, self.tried, self._front()
        )
        if len(self.tried) >= len(self.known):
            self.folder.write(SETTINGS, table)

    def _test_points(self, base: Floats) -> None:
        """Test the chosen points of the front on the held-out months, together with the baseline."""
        plan, spec = self.plan, self.plan.spec
        rows = np.flatnonzero(self._front())
        values = self.tried.values[rows][:, :, 0]
        rows = rows[chosen_of_front(small_is_better(spec, values), excess_of(spec, values), spec.points)]
        chosen = [plan.space.setting(genes) for genes in self.tried.genes[rows].tolist()]
        settings: list[Setting | None] = [None, *chosen]
        self._say("held-out months")
        train = np.concatenate([base, self.tried.values[rows]])
        policies = [spec.baseline, *(setting.policy for setting in chosen)]
        columns: dict[str, pl.Series] = {
            "number": pl.Series([0, *(rows + 1).tolist()], dtype=pl.Int64),
            "policy": pl.Series([policy.label for policy in policies], dtype=pl.String),
        }
        columns |= axis_columns(spec, settings)
        columns |= goal_columns(spec, self.folder.train.names, train)
        columns["meets_bounds"] = pl.Series(excess_of(spec, train[:, :, 0]) <= 0)
        if plan.test is not None:
            held = self._judged(plan.test, "test", settings)
            if held is None:
                return
            months = Months.of(plan.test.periods).names
            columns |= goal_columns(spec, months, held, f"{HELD_OUT}:")
            columns[f"{HELD_OUT}:meets_bounds"] = pl.Series(excess_of(spec, held[:, :, 0]) <= 0)
        table = pl.DataFrame(columns)
        self.folder.write(POINTS, table)
        write_atomic(self.folder.path / "points.csv", table_bytes(table, "csv"))

    def _count(self, settings: int) -> None:
        if self.first_at is None:
            self.first_at = monotonic()
        else:
            self.computed += settings

    def _say(self, phase: str, done: int | None = None) -> None:
        spec = self.plan.spec
        count = len(self.tried) if done is None else done
        meets = int((excess_of(spec, self.tried.values[:, :, 0]) <= 0).sum())
        left = None
        if self.computed and self.first_at is not None:
            left = (monotonic() - self.first_at) / self.computed * (spec.budget - count)
        self.on_event(SearchEvent(count, spec.budget, meets, phase, left))
