"""A point of a search as a study: its policy beside the baseline, on all months of the search."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from fsconsole.batch.policy import BatchPolicy
from fsconsole.batch.search.folder import SearchFolder, tried_in
from fsconsole.batch.search.space import Setting, Space
from fsconsole.batch.search.spec import named_months
from fsconsole.batch.study.spec import StudyError, StudySpec
from fsconsole.batch.study.study_file import write_study
from fsconsole.shares.edits import SetShares
from fsconsole.shares.tree import ShareTree

SHARES = "shares.yaml"
STUDY = "study.yaml"


def setting_of(folder: SearchFolder, number: int) -> tuple[Setting, Space]:
    """A setting that was tried, by its number; StudyError where there is none."""
    tried = tried_in(folder.spec, folder.train.names, folder.settings())
    if not 1 <= number <= len(tried):
        msg = f"there is no setting {number}: numbers go from 1 to {len(tried)}"
        raise StudyError(msg)
    space = folder.space()
    return space.setting(tried.genes[number - 1].tolist()), space


def study_of_point(folder: SearchFolder, number: int, into: Path) -> Path:
    """Write a study file of a setting, with a share tree beside it where it has shares; gives the file.

    It has all months of the search, the setting's policy, and one to compare with: the baseline, or FCFS
    where the baseline goes by shares that the setting changes, since a study has one share tree.
    StudyError for a number that is not there, OSError where a file cannot be written.
    """
    setting, space = setting_of(folder, number)
    into.mkdir(parents=True, exist_ok=True)
    shares = None
    if space.tree is not None:
        shares = into / SHARES
        write_shares(space.tree, setting, shares, f"{folder.spec.name}, point {number}")
    path = into / STUDY
    beside = BatchPolicy() if folder.spec.baseline.is_by_user and setting.shares else folder.spec.baseline
    write_study(_study(folder, (beside, setting.policy), shares, f"{folder.spec.name}, point {number}"), path)
    return path


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
