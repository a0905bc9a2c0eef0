"""Search files: YAML text to a search. All faults are listed at once, with their lines."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from fsconsole.batch.policy import DAY_S, POLICIES, BatchPolicy
from fsconsole.batch.search.form import FORMS
from fsconsole.batch.search.spec import OF_MACHINE, Axis, Choice, Goal, Range, SearchSpec
from fsconsole.batch.study.study_file import PARAMETERS, Reading, read_months, read_policy
from fsconsole.shares.scenario.problems import ScenarioError
from fsconsole.shares.scenario.yaml_nodes import Document, Map, parse_mapping, text_in
from fsconsole.text.nearest import nearest_or_all

_CHOICES = ("policy", "expected_usage", "form", "carry_reservation", "boundary_passes")
_RANGES = ("window", "half_life", "decay", "reservations", "lxf_bound")
_WHOLE = ("window", "half_life", "reservations", "lxf_bound")
_HIGHER_IS_BETTER = ("utilisation",)


def read_search(path: Path, folder: Path | None = None, *, check_files: bool = True) -> SearchSpec:
    """Return the search in a file; relative names begin in `folder`, by default the file's own.

    Raises:
        ScenarioError: the file has faults; the message has all of them with their lines.
        OSError: the file cannot be read.
    """
    return parse_search(text_in(path), folder or path.parent, path.name, check_files=check_files)


def parse_search(text: str, folder: Path, name: str = "", *, check_files: bool = True) -> SearchSpec:
    """Return the search in a text.

    Raises:
        ScenarioError: the text has faults; the message has all of them.
    """

    def read(document: Document, data: Map) -> SearchSpec:
        return _SearchReading(document, data, folder).search(check_files=check_files)

    return parse_mapping(text, name, "search file", "version, name, trace, train, goals and space", read)


class _SearchReading(Reading):
    def search(self, *, check_files: bool) -> SearchSpec:
        form = self._form(FORMS)
        groups = {
            name: None if isinstance(users, str) else tuple(users)
            for name, users in (form.groups or {}).items()
        }
        spec = SearchSpec(
            name=form.name,
            trace=form.trace,
            goals=tuple(self._goal(form, place) for place in range(len(form.goals))),
            axes=tuple(self._axes(form.space)),
            train=read_months(form.train),
            test=None if form.test is None else read_months(form.test),
            procs=form.procs,
            groups=groups,
            shares=None if form.shares is None else self._folder / form.shares,
            baseline=self._baseline(form.baseline),
            budget=form.budget,
            population=form.population,
            seed=form.seed,
            method=form.method,
            points=form.points,
            about=form.about,
            folder=self._folder,
        )
        self._check(spec)
        if check_files:
            self._check_trace(spec.trace, self._data, "trace")
            self._check_shares(spec.shares)
        if self._problems:
            raise ScenarioError(self._problems)
        return spec

    def _goal(self, form: Any, place: int) -> Goal:
        item, raw, path = form.goals[place], self._data["goals"][place], f"goals[{place + 1}]"
        is_share = item.measure == "share"
        if is_share and (item.of is None or item.target is None):
            reason = "a share needs of (a group or a user) and target (such as 30 %)"
            self._say(raw, "measure", reason, path)
        only = {
            "target": is_share,
            "over": is_share,
            "fewest_jobs": item.measure == "wait_growth",
            "floor": item.measure == "wait_growth",
            "of": item.measure not in OF_MACHINE,
        }
        for key, is_meant in only.items():
            if key in raw and not is_meant:
                self._say(raw, key, f"{key} does not apply to {item.measure}. Leave it out", path)
        days, rest = divmod(item.over or 7 * DAY_S, DAY_S)
        if rest:
            self._say(raw, "over", "write whole days, such as 7 d", path)
        if item.aim == "bound" and item.at_most is None and item.at_least is None:
            self._say(raw, "aim", "a bound needs at_most or at_least", path)
        if None not in (item.at_most, item.at_least) and item.at_least > item.at_most:
            self._say(raw, "at_least", "at_least is more than at_most: nothing meets both", path)
        usual = "maximise" if item.measure in _HIGHER_IS_BETTER else "minimise"
        return Goal(
            item.measure,
            item.of or "",
            item.target or 0.0,
            max(days, 1),
            item.at_most,
            item.at_least,
            item.aim or usual,  # type: ignore[arg-type] # the two words are of its kind
            item.fewest_jobs,
            item.floor,
            item.name or "",
        )

    def _axes(self, space: Any) -> list[Axis]:
        raw = self._data["space"]
        axes: list[Axis] = []
        for name in _CHOICES:
            if (values := getattr(space, name)) is not None:
                axes += [Choice(name, tuple(dict.fromkeys(values)))]
        for name in _RANGES:
            if (value := getattr(space, name)) is not None:
                axes += [self._axis(name, value, raw, name, is_whole=name in _WHOLE)]
        for name, value in () if space.weights is None else space.weights:
            if value is not None:
                axes += [self._axis(f"weights.{name}", value, raw["weights"], name)]
        for name, value in () if space.multifactor is None else space.multifactor:
            if value is not None:
                axes += [self._axis(f"multifactor.{name}", value, raw["multifactor"], name, is_whole=True)]
        for name, value in (space.shares or {}).items():
            axes += [self._axis(f"shares.{name}", value, raw["shares"], name, is_whole=True)]
        return axes

    def _axis(self, name: str, value: Any, raw: Map, key: str, *, is_whole: bool = False) -> Axis:
        if isinstance(value, list):
            return Choice(name, tuple(dict.fromkeys(value)))
        if isinstance(value, int | float):
            return Choice(name, (value,))
        low, high, is_log = getattr(value, "from"), value.to, value.scale == "log"
        if not low < high:
            self._say(raw, key, "from must be smaller than to", f"space.{name}")
        elif is_log and low <= 0:
            self._say(raw, key, "a log scale must begin above 0", f"space.{name}")
        return Range(name, float(low), float(high), is_log, is_whole)

    def _baseline(self, item: Any) -> BatchPolicy:
        raw: Any = self._data.get("baseline")
        name = item if isinstance(item, str) else item.policy
        if name not in POLICIES:
            self._say(
                self._data,
                "baseline",
                f"unknown policy {name!r}{nearest_or_all(name, POLICIES)}",
                "baseline",
            )
            return BatchPolicy()
        if isinstance(item, str):
            return POLICIES[name]
        made, unmeant = read_policy(raw, item)
        for key, reason in unmeant.items():
            self._say(raw, key, reason, "baseline")
        if item.window and len(item.window) > 1:
            self._say(raw, "window", "the baseline has only one window", "baseline")
        return replace(made, window_s=item.window[0]) if item.window else made

    def _check(self, spec: SearchSpec) -> None:
        raw = self._data["space"]
        if all(isinstance(axis, Choice) and len(axis.values) == 1 for axis in spec.axes):
            self._say(self._data, "space", "there is nothing to choose. Give a range or a list", "space")
        if "decay" in raw and "half_life" in raw:
            self._say(raw, "half_life", "decay and half_life mean the same. Leave one of them out", "space")
        named: tuple[object, ...] = ("relshare",)
        for axis in spec.axes:
            named = axis.values if axis.name == "policy" and isinstance(axis, Choice) else named
        for name in named:
            if name not in POLICIES:
                reason = f"unknown policy {name!r}{nearest_or_all(str(name), POLICIES)}"
                self._say(raw, "policy", reason, "space.policy")
        known = [POLICIES[str(name)] for name in named if name in POLICIES]
        for key in raw:
            field = PARAMETERS.get(key)
            is_meant = any(_means(policy, key, field) for policy in known)
            if not is_meant:
                reason = f"{key} does not apply to {', '.join(map(str, named))}. Leave it out"
                self._say(raw, key, reason, f"space.{key}")
        self._check_groups(spec)
        keys = [goal.key for goal in spec.goals]
        for place, key in enumerate(keys):
            if key in keys[:place]:
                reason = f"goals[{keys.index(key) + 1}] has the same measure. Leave one of them out"
                self._say(self._data["goals"][place], "measure", reason, f"goals[{place + 1}]")
        if not spec.front_goals:
            reason = "every goal is only a bound. Remove aim: bound from at least one"
            self._say(self._data, "goals", reason, "goals")

    def _check_groups(self, spec: SearchSpec) -> None:
        data = self._data
        if spec.groups and spec.shares is not None:
            self._say(data, "shares", "groups and shares mean the same. Leave one of them out", "shares")
        rest = [name for name, users in spec.groups.items() if users is None]
        if len(rest) > 1:
            self._say(data["groups"], rest[1], "only one group can be the rest", "groups")
        seen: dict[str, str] = {}
        for name, users in spec.groups.items():
            for user in users or ():
                if user in seen:
                    reason = (
                        f"user {user} is already in {seen[user]}"
                        if seen[user] != name
                        else f"{user} is listed twice"
                    )
                    self._say(data["groups"], name, reason, f"groups.{name}")
                seen[user] = name
        if spec.shares is not None:
            return
        names = [axis.name.removeprefix("shares.") for axis in spec.axes if axis.name.startswith("shares.")]
        for name in names:
            if name not in spec.groups:
                reason = (
                    f"no group {name!r}{nearest_or_all(name, spec.groups)}"
                    if spec.groups
                    else ("shares of groups need the key groups, or shares: a file with a share tree")
                )
                self._say(data["space"]["shares"], name, reason, "space.shares")


def _means(policy: BatchPolicy, key: str, field: str | None) -> bool:
    """Return True if a key of the space has an effect under a policy."""
    if key == "shares":
        return policy.remembers_usage
    if key == "half_life":
        return policy.means("decay") or policy.means("multifactor")
    return field is None or policy.means(field)
