"""What the pages on the papers name is there: experiments, claims, figures, commands, files."""

from __future__ import annotations

import shlex
from collections import Counter
from pathlib import Path

import pytest

from fsconsole.cli.main import run
from fsconsole.experiments.registry import experiments
from tests.experiments.conftest import ResultOf
from tests.texts import refuses_naming
from tools.papers_page import (
    FOLDER,
    THERE,
    WORDS,
    Reference,
    claims_of,
    letter_of,
    pages,
    read_rows,
    reference_of,
)

ROOT = Path(__file__).resolve().parents[2]
ROWS = read_rows()
REFERENCES = [(row, reference) for row in ROWS for reference in row.references]
COMMANDS = sorted({one.name for _, one in REFERENCES if one.kind == "command"})
PAPERS = {
    "Junglas 1991": 86,
    "Everitt, Jones and Knesel 1995": 152,
    "Brady, Ciuffini and Hardy 1996": 99,
    "Vasupongayya 2009": 110,
    "Yalim 2020": 73,
}


def test_no_item_of_a_paper_gets_lost() -> None:
    assert Counter(row.paper for row in ROWS) == PAPERS
    assert {row.letter for row in ROWS} == WORDS.keys() - {"F"}


def test_what_is_said_to_be_there_says_where_and_the_rest_says_why_not() -> None:
    for row in ROWS:
        kinds = {one.kind for one in row.references}
        assert bool(kinds) == (row.letter in THERE), row
        assert ("claims" in kinds) or row.letter != "C" or "test" in kinds, row
        assert row.letter in THERE or row.remark, row


@pytest.mark.parametrize("words", COMMANDS)
def test_each_command_runs(words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("example_trees", "resources"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    group, *arguments = shlex.split(words)
    if group == "reproduce":
        assert arguments[0] in {experiment.name for experiment in experiments()}
    else:
        assert run([group, *arguments]) == 0, words


def test_a_command_that_prints_what_was_used_lets_the_machine_run_first() -> None:
    measured = {"ps", "rates", "charges", "pl", "pwintf"}
    still = [
        words for words in COMMANDS if words.startswith("machine ") and shlex.split(words)[2] in measured
    ]
    assert still == []  # at 0 s all they print is 0


def test_each_experiment_figure_and_file_is_there(result_of: ResultOf) -> None:
    known = {experiment.name for experiment in experiments()}
    for row, one in REFERENCES:
        if one.kind in ("view", "test"):
            assert (ROOT / one.where).exists(), one
        if one.kind in ("claims", "figure", "text"):
            assert one.name in known, row
            _check(one, result_of)


def test_what_is_compared_has_more_than_inputs_and_numbers_of_ours(result_of: ResultOf) -> None:
    assert [row for row in ROWS if row.letter == "C" and letter_of(row, result_of) not in "CF"] == []


def test_nothing_is_called_checked_whose_best_claim_is_fitted_or_not_decided(result_of: ResultOf) -> None:
    for row in ROWS:
        claims = claims_of(row, result_of)
        best = [
            claim
            for claim in claims
            if claim.origin.kind in ("paper", "words", "law")
            and claim.kind != "input"
            and claim.verdict != "undecided"
        ]
        has_test = any(one.kind == "test" for one in row.references)
        if letter_of(row, result_of) == "C":
            assert best or has_test, row
        if letter_of(row, result_of) == "F":
            assert not best, row
            assert "fitted" in {claim.origin.kind for claim in claims}, row


def _check(one: Reference, result_of: ResultOf) -> None:
    result = result_of(one.name)
    assert all(1 <= number <= len(result.claims) for number in one.claims), one
    assert one.kind != "text" or result.text, one
    assert one.kind != "figure" or one.where in {figure.name for figure in result.figures}, one


def test_the_pages_are_written_from_the_table_and_the_claims(result_of: ResultOf) -> None:
    found = pages(ROWS, result_of)
    stale = [file.name for file, text in found.items() if file.read_text("utf-8") != text]
    # Run make papers and commit it.
    assert stale == []
    assert {file for file in found if file.parent == FOLDER} == set(FOLDER.glob("*.md"))


def test_the_readme_counts_the_three_grades(result_of: ResultOf) -> None:
    count = Counter(letter_of(row, result_of) for row in ROWS)
    grades = ", ".join(f"{count[letter]} {WORDS[letter]}" for letter in THERE)
    readme = (ROOT / "README.md").read_text("utf-8")
    assert f"all {len(ROWS)} items of the papers](docs/papers.md): {grades}." in readme


def test_a_reference_that_cannot_be_read_is_refused() -> None:
    assert reference_of("junglas-1 1,3-4").claims == (1, 3, 4)
    with refuses_naming(ValueError, "'junglas-1 one'"):
        reference_of("junglas-1 one")
