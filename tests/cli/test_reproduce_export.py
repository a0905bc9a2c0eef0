"""`fsconsole reproduce` and `fsconsole export`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from fsconsole.experiments import registry
from fsconsole.experiments.claims import Claim
from fsconsole.experiments.experiment import Result
from fsconsole.experiments.origins import Origin
from fsconsole.experiments.relshare_words import in_most
from tests.cli.conftest import Cli
from tests.texts import Expected, naming, says, worded, wording


def test_the_list_names_what_there_is(cli: Cli) -> None:
    names = [item["name"] for item in json.loads(cli("reproduce", "--list", "--json").out)]
    assert {"machine-share-example", "junglas-1", "junglas-2", "junglas-4", "junglas-6"} <= set(names)
    assert all(name in cli("reproduce", "--list").out for name in names)


def test_claims_as_json(cli: Cli) -> None:
    ended = cli("reproduce", "machine-share-example", "--json", "--progress")
    assert ended.status == 0
    data = json.loads(ended.out)
    assert data["name"] == "machine-share-example"
    assert ended.err.splitlines()[-1].split() == ["100", "%", "done"]
    assert (data["holding"], data["counted"]) == (3, 3)
    for claim in data["claims"]:
        assert claim["verdict"] == "holds"
        assert claim["origin"] == {"kind": "paper", "place": "section 4"}
    assert data["claims"][0]["measured"] == [400.0, 600.0]


def test_claims_as_text_and_figures_in_a_folder(cli: Cli, tmp_path: Path) -> None:
    ended = cli("reproduce", "junglas-6", "--out", tmp_path / "figures")
    assert ended.status == 0
    assert "claims hold." in ended.out
    endings = {path.suffix for path in (tmp_path / "figures").iterdir()}
    assert {".png", ".svg", ".csv"} <= endings


def test_notes_and_origins_are_in_the_json(cli: Cli) -> None:
    data = json.loads(cli("reproduce", "junglas-6", "--json").out)
    assert {note["kind"] for note in data["notes"]} == {"ours"}
    origins = [claim["origin"]["kind"] for claim in data["claims"]]
    assert origins == ["law", "ours", "ours", "law", "law"]


def test_the_table_has_verdicts_probabilities_and_origins(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    paper = Origin.paper("section VI", "It says most months.")
    longer = in_most("Longer", [True] * 6 + [False] * 4, origin=paper)
    given = Claim("Setup", 526.0, 526.0, 1.0, "s", origin=paper, kind="input", why_tolerance="Printed so.")
    show(monkeypatch, Result("machine-share-example", (longer, given)))
    ended = cli("reproduce", "machine-share-example")
    assert ended.status == 0
    for words in (
        "not decided (p = 0.38)",
        "paper: section VI",
        "Expected value, paper: section VI: It says most months.",
        "Setup, tolerance of 1: Printed so.",
        "Not decided on these data: Longer: in 6 of 10 months. Chance gives at least as many with p = 0.38.",
        "0 of 1 claims hold, 1 not decided, 1 input.",
    ):
        assert words in ended.out


def show(monkeypatch: pytest.MonkeyPatch, result: Result) -> None:
    """Let the worked example of machine shares give another result."""
    broken = replace(
        registry.experiment_named("machine-share-example"), measure=lambda progress, cancelled: result
    )
    monkeypatch.setattr(registry, "experiments", lambda: (broken,))


@pytest.mark.parametrize(
    ("origin", "status"),
    [(Origin.paper("section 4"), 3), (Origin.fitted("section 4", "Set so."), 3), (Origin.ours("shares"), 1)],
)
def test_a_claim_that_fails_has_a_status_by_whose_it_is(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, origin: Origin, status: int
) -> None:
    show(monkeypatch, Result("machine-share-example", (Claim("Shares", 400.0, 500.0, 0.5, origin=origin),)))
    ended = cli("reproduce", "machine-share-example")
    assert ended.status == status
    assert says(
        ended.out,
        "experiments.expected-tolerance",
        text=wording("experiments.does-not-hold"),
        shown="",
        unit="",
        who="Shares: 500",
        by="100",
        side="above",
        expected="400",
        tolerance="0.5",
    )
    assert says(ended.out, "cli.exit-status-claims-of-paper", refuted="3") == (status == 3)
    assert json.loads(cli("reproduce", "machine-share-example", "--json").out)["claims"][0]["holds"] is False
    expected = f"  {status}    "
    assert expected in cli("--help").out


def test_the_full_version_and_what_an_experiment_prints(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    experiment = registry.experiment_named("machine-share-example")
    result = experiment.run()
    longer = replace(result, text="Job Summary:\n  thirty days")
    both = replace(experiment, measure_full=lambda progress, cancelled: longer)
    monkeypatch.setattr(registry, "experiments", lambda: (both,))
    assert "thirty days" not in cli("reproduce", "machine-share-example").out
    expected = "Job Summary:\n  thirty days\n"
    assert expected in cli("reproduce", "machine-share-example", "--full").out


@pytest.fixture
def run_folder(cli: Cli, examples: Path, tmp_path: Path) -> Path:
    out = tmp_path / "x.run"
    cli("simulate", examples / "convex-series-1.yaml", "--until", "60s", "--out", out)
    return out


@pytest.mark.parametrize(
    ("form", "begins"),
    [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF"), ("csv", b""), ("parquet", b"PAR1")],
)
def test_export_in_each_format(cli: Cli, run_folder: Path, tmp_path: Path, form: str, begins: bytes) -> None:
    out = tmp_path / f"cpu.{form}"
    ended = cli("export", run_folder, "--plot", "cpu_rate", "--format", form, "--out", out)
    assert ended.status == 0
    assert ended.out.splitlines()[0] == str(out)
    assert out.read_bytes().startswith(begins)


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (
            ["--plot", "cpu_rat", "--out", "x.png"],
            2,
            worded("figures.run-has-no-quantity-it", quantity="'cpu_rat'", recorded="cpu_rate"),
        ),
        (["--plot", "charge", "--out", "x.doc"], 2, worded("cli.suffix-of-is-not-known")),
        (
            ["--plot", "charge", "--node", "nobody", "--out", "x.csv"],
            2,
            worded("shares.node-not-found-in-tree", path="'nobody'"),
        ),
        (["--plot", "charge", "--out", "there.csv"], 1, worded("cli.exists-already-choose-another-name")),
        (["--plot", "charge", "--out", "no/where/x.csv"], 1, naming("No such file or directory")),
    ],
)
def test_what_cannot_be_exported_is_reported(
    cli: Cli,
    run_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    status: int,
    message: Expected,
) -> None:
    monkeypatch.chdir(run_folder.parent)
    Path("there.csv").write_text("")
    ended = cli("export", run_folder, *arguments)
    assert (ended.status, ended.out) == (status, "")
    assert says(ended.err, message)


def test_a_folder_that_is_no_run_is_reported(cli: Cli, tmp_path: Path) -> None:
    for place, text in ((tmp_path, "is not a run folder"), (tmp_path / "none", "does not exist")):
        ended = cli("export", place, "--plot", "charge", "--out", tmp_path / "x.csv")
        assert ended.status == 1
        assert text in ended.err
