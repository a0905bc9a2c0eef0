"""Points of a search as a study: their policies and the baseline, on all months of the search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from fsconsole.batch.policy import BatchPolicy
from fsconsole.batch.search.folder import SearchFolder, tried_in
from fsconsole.batch.search.space import Setting, Space
from fsconsole.batch.search.spec import named_months
from fsconsole.batch.study.spec import StudyError, StudySpec
from fsconsole.batch.study.study_file import write_study
from fsconsole.shares.edits import SetShares
from fsconsole.shares.tree import ShareTree
from fsconsole.text.words import listed

SHARES = "shares.yaml"
STUDY = "study.yaml"


def settings_of(folder: SearchFolder, numbers: Sequence[int]) -> tuple[list[Setting], Space]:
    """Return settings that were tried, by their numbers.

    Raises:
        StudyError: one is not there.
    """
    tried = tried_in(folder.spec, folder.train.names, folder.settings())
    for number in numbers:
        if not 1 <= number <= len(tried):
            msg = f"setting {number} not found. Write a number from 1 to {len(tried)}"
            raise StudyError(msg)
    space = folder.space()
    return [space.setting(tried.genes[number - 1].tolist()) for number in numbers], space


def study_of_points(folder: SearchFolder, numbers: Sequence[int], into: Path) -> Path:
    """Write a study file of settings, with a share tree where they have shares, and return the file.

    It has all months of the search, the settings' policies, and one to compare with: the baseline, or FCFS
    where the baseline goes by shares that the settings change, since a study has one share tree.
    StudyError for a number that is not there or settings of different shares, OSError where a file cannot be
    written.
    """
    settings, space = settings_of(folder, numbers)
    _check_shares(settings, numbers, space)
    into.mkdir(parents=True, exist_ok=True)
    first = settings[0]
    noun = "point" if len(numbers) == 1 else "points"
    name = f"{folder.spec.name}, {noun} {listed(numbers)}"
    shares = None
    if space.tree is not None:
        shares = into / SHARES
        write_shares(space.tree, first, shares, name)
    path = into / STUDY
    beside = BatchPolicy() if folder.spec.baseline.remembers_usage and first.shares else folder.spec.baseline
    policies = (beside, *(setting.policy for setting in settings))
    write_study(_study(folder, policies, shares, name), path)
    return path


def _check_shares(settings: Sequence[Setting], numbers: Sequence[int], space: Space) -> None:
    """Raise StudyError where settings give users other parts of the machine."""
    parts = [space.user_shares(setting.shares) for setting in settings]
    for number, part in zip(numbers, parts, strict=True):
        if not np.allclose(part / part.sum(), parts[0] / parts[0].sum(), rtol=1e-9):
            msg = (
                f"points {numbers[0]} and {number} have different shares, but a study has only one share tree"
            )
            raise StudyError(f"{msg}. Open them one by one")


def _study(
    folder: SearchFolder, policies: tuple[BatchPolicy, ...], shares: Path | None, name: str
) -> StudySpec:
    spec = folder.spec
    policies = tuple(dict.fromkeys(policies))
    months = named_months({**folder.train.periods, **folder.test.periods})
    study = replace(spec.study(policies, months, name=name), shares=shares)
    return replace(
        study, about=f"Chosen on {', '.join(folder.train.names)}; held out: {', '.join(folder.test.names)}."
    )


def write_shares(tree: ShareTree, setting: Setting, path: Path, name: str) -> None:
    """Write the share tree of a setting as a scenario file."""
    from fsconsole.shares.formats import write_tree
    from fsconsole.shares.scenario.spec import Scenario

    own = tree.copy()
    for node, shares in setting.shares:
        SetShares.of(node, shares).apply(own)
    write_tree(Scenario(own, title=name), path)
