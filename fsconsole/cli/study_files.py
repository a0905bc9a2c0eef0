"""Studies and their folders, as the command line names them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fsconsole.cli.failure import Unusable

if TYPE_CHECKING:
    from fsconsole.batch.study.folder import StudyFolder
    from fsconsole.batch.study.spec import StudySpec

folder_argument = click.argument(
    "folder", metavar="DIR", type=click.Path(path_type=Path, exists=True, file_okay=False)
)


@contextmanager
def explained() -> Iterator[None]:
    """Turn what is wrong with a study into an answer."""
    from fsconsole.batch.study.spec import StudyError

    try:
        yield
    except StudyError as error:
        raise Unusable(str(error)) from None


def study_file(text: str) -> Path:
    """A study's file, or that of a study that comes with the program; wrong use where there is neither."""
    from fsconsole.batch.study.bundled import bundled_studies
    from fsconsole.text.nearest import nearest_or_all

    path = Path(text)
    if path.is_file():
        return path
    known = bundled_studies()
    if text in known:
        return known[text]
    if path.is_dir():
        msg = f"{text} is a folder: name a study's file, such as {path / 'study.yaml'}"
    else:
        msg = f"no file {text!r}, and no such study comes with the program{nearest_or_all(text, known)}"
    raise click.BadParameter(msg)


def spec_of(path: Path) -> StudySpec:
    """The study in a file; ScenarioError with everything that is wrong, by the file's name as given."""
    from fsconsole.batch.study.study_file import read_study
    from fsconsole.shares.scenario.problems import ScenarioError

    try:
        return read_study(path)
    except ScenarioError as error:
        raise ScenarioError(error.problems, str(path)) from None


def opened(folder: Path) -> StudyFolder:
    """The folder of a study; Unusable where it is none."""
    from fsconsole.batch.study.folder import StudyFolder

    with explained():
        return StudyFolder(folder)
