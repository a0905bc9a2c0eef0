"""Reports of a night, a comparison and a what-if hold the numbers of the papers and of the commands."""

from __future__ import annotations

import shlex
from dataclasses import replace
from datetime import datetime
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from fsconsole.app.comparison import compare_sources
from fsconsole.app.reports.comparison_report import comparison_report
from fsconsole.app.reports.night_report import night_report
from fsconsole.app.reports.run_report import run_report
from fsconsole.app.reports.tree_report import tree_report
from fsconsole.app.tree.outlook import Outlook
from fsconsole.cli.main import run
from fsconsole.cli.tree_what_if import demands_of, outlook_of
from fsconsole.experiments.comparing import Variant
from fsconsole.neardedicated.view import JobRow, ReportView, UseRow
from fsconsole.recording.run import RunReader
from fsconsole.recording.run_format import RunError
from fsconsole.resources import examples
from fsconsole.shares.flat import FlatTree
from fsconsole.shares.saturation import saturated
from fsconsole.shares.scenario.read import parse_scenario, read_scenario
from fsconsole.text.numbers import UNKNOWN
from tests.texts import refuses, says, wording

START = datetime(1996, 2, 19, 23)  # noqa: DTZ001 (the machine's own clock)
# Brady et al., Figure 3: wall time and swap time in s, efficiency, swaps of three jobs.
FIGURE_3 = ((7962.0, 0.899, 1, 29.0), (8090.0, 0.888, 3, 65.0), (8191.0, 0.912, 1, 18.0))


def _night() -> ReportView:
    jobs = tuple(
        JobRow(41877 + place, "sbert", f"ccm-{place}", place * 8200.0, wall_s, 526.75, efficiency, 0, swaps,
               swap_s, 0.0, 27.3, 210.0, 0.0, 0, "ended" if place else "killed by operator")
        for place, (wall_s, efficiency, swaps, swap_s) in enumerate(FIGURE_3)
    )  # fmt: skip
    use = tuple(
        UseRow(300.0 * n, 0.96, 0.04, 0.0, 1168.0, "sbert", None if n < 2 else 0.9) for n in range(1, 6)
    )
    return ReportView(0.0, 25200.0, jobs, use, 0.95, 0.04, 0.01, 1100.0)


def test_a_night_says_what_figure_3_says() -> None:
    report = night_report(_night(), START, required_efficiency=0.89, scenario="Y-MP")
    message = "\n".join(report.findings)
    assert "Window: Monday 19 February 1996, 23:00, to 06:00." in message
    means = "mean efficiency 90.0\xa0%, mean wall time 2:14:41, of which 0:08:46 setup"
    assert f"3 near-dedicated jobs ended, {means}" in message
    assert says(message, "app.reports.below-that-is-required", required="89\xa0%", named="ccm-1 (88.8\xa0%)")
    assert "Killed by operator: ccm-0." in message
    assert says(message, "app.reports.of-these-jobs-took-s", swaps="5 swaps", lost="112")
    efficiency = report.figures[1].spec.curves[0].y
    assert np.isnan(efficiency[0])
    assert efficiency[1] == 0.9


def test_the_tables_of_a_night_have_the_values_of_figure_3() -> None:
    report = night_report(_night(), START, required_efficiency=0.88)
    jobs, use = (
        next(table for section in report.sections for table in section.tables if head in table.headers)
        for head in ("Setup", "Job of")
    )
    column = {name: [row[at] for row in jobs.rows] for at, name in enumerate(jobs.headers)}
    assert column["Efficiency, %"] == ["89.9", "88.8", "91.2"]
    assert column["Wall"] == ["2:12:42", "2:14:50", "2:16:31"]
    assert column["Setup"] == ["0:08:46"] * 3
    assert column["Swaps"] == ["1", "3", "1"]
    assert [float(value) for value in column["Swap, s"]] == [29.0, 65.0, 18.0]
    column = {name: [row[at] for row in use.rows] for at, name in enumerate(use.headers)}
    assert column["Efficiency, %"] == [UNKNOWN, *["90.0"] * 4]
    assert {float(value) for value in column["User, %"]} == {96.0}
    assert {float(value) for value in column["System, %"]} == {4.0}


def test_a_night_whose_jobs_count_no_operations_has_no_rate() -> None:
    assert says(
        night_report(_night(), START, required_efficiency=0.88)
        .findings[1]
        .replace("\N{NARROW NO-BREAK SPACE}", ","),
        "app.reports.at-mflop-s-on-average",
        mflops="1,100",
    )
    uncounted = replace(_night(), mflops=0.0, use=tuple(replace(row, mflops=0.0) for row in _night().use))
    report = night_report(uncounted, START, required_efficiency=0.88)
    assert "Mflop/s" not in report.findings[1]
    assert [figure.spec.name for figure in report.figures] == ["use", "efficiency"]


def test_a_night_without_jobs_has_no_figures() -> None:
    empty = replace(_night(), jobs=(), use=())
    report = night_report(empty, START, required_efficiency=0.88)
    assert says(report.findings, "app.reports.no-near-dedicated-job-ended")
    assert report.figures == ()


def test_a_comparison_says_who_gets_more_and_how_to_do_it_again() -> None:
    scenario = read_scenario(examples() / "convex-series-1.yaml")
    variants = [Variant("share", {"policy.name": "share"}), Variant("flat", {"policy.name": "flat"})]
    found = compare_sources(scenario, variants, 300.0)
    report = comparison_report(found, found.range_s(60.0, 300.0))
    # Junglas, series 1: two of five users lose a quarter of the machine for a fifth, three gain from a sixth.
    moved = report.findings[1]
    assert moved.partition(": ")[0].split() == ["flat", "minus", "share"]
    assert all(name in moved for name in ("u11", "u12", "u21", "u22", "u23"))  # none of the five is dropped
    row = next(row for row in report.sections[1].tables[0].rows if row[0].endswith("u11"))
    assert float(row[1]) == pytest.approx(25.0, abs=0.1)
    assert float(row[2]) == pytest.approx(20.0, abs=0.1)
    commands = report.sections[-1].commands
    expected = (
        "fsconsole compare scenario.yaml --variant share:policy.name=share --variant flat:policy.name=flat "
        "--from 60s --until 300s --report report.pdf"
    )
    assert commands[0] == (expected)
    assert parse_scenario(commands[1]).tree.same_as(scenario.tree)
    assert [figure.spec.title for figure in report.figures] == [
        "CPU rate", "Effective share", "Normalised usage", "Charge"
    ]  # fmt: skip


def test_a_comparison_of_seeds_names_what_is_not_decided() -> None:
    scenario = read_scenario(examples() / "convex-series-1.yaml")
    variants = [Variant("a", {}), Variant("b", {})]
    found = compare_sources(scenario, variants, 60.0, seeds=2, workers=1)
    report = comparison_report(found, found.range_s(0.0, 60.0))
    assert says(report.findings[0], "app.reports.medians-of-seeds", seeds="2")
    assert report.findings[1] == wording("app.reports.and-divide-cpu-time-equally", name="b", first="a")


def test_a_what_if_names_givers_and_takers() -> None:
    # Table 1-1 of the NAVOCEANO paper.
    scenario = read_scenario(examples() / "navoceano-c916.yaml")
    stated = {scenario.tree.find("Army").id: 0.041936, scenario.tree.find("System").id: 0.020838}
    flat = FlatTree.of(scenario.tree)
    measured = np.full(len(flat), np.nan)
    outlook = Outlook.of(scenario.tree, flat, saturated(flat), stated, measured)
    report = tree_report(scenario, outlook)
    assert report.title == "NAVOCEANO C916"
    assert any(
        one.startswith(
            wording(
                "shares.cannot-use-its-and-leaves", name="Army", entitled="19.1\xa0%", amount="14.9 points"
            )
        )
        for one in report.findings
    )
    nodes = report.sections[1].tables[0]
    army = next(row for row in nodes.rows if row[0].endswith("/Army"))
    assert army[2:5] == ("19.125", "4.194", "−14.931")
    assert "Measured, %" not in nodes.headers
    commands = report.sections[-1].commands
    assert "Machine/User/DoD/Army=4.1936%" in commands[0]
    assert "System=2.0838%" in commands[0]


@pytest.mark.parametrize("changed", [(), ("Army=5%", "System=saturated")])
def test_the_command_of_a_what_if_gives_the_same_demands_and_measured_parts(changed: tuple[str, ...]) -> None:
    """The command left out the report of a month, and with it what was measured."""
    scenario = read_scenario(examples() / "navoceano-c916.yaml")
    asked = demands_of(scenario, changed, "May 1995")
    report = tree_report(scenario, outlook_of(scenario.tree, asked))
    words = shlex.split(report.sections[-1].commands[0])
    title = words[words.index("--report") + 1]
    demands = tuple(after for word, after in pairwise(words) if word == "--demand")
    again = demands_of(scenario, demands, title)
    assert again.measured == asked.measured
    assert again.measured
    assert again.stated == pytest.approx(asked.stated)


def test_nobody_leaves_anything_where_all_are_saturated() -> None:
    scenario = read_scenario(examples() / "three-users.yaml")
    flat = FlatTree.of(scenario.tree)
    outlook = Outlook.of(scenario.tree, flat, saturated(flat), {}, np.full(len(flat), np.nan))
    report = tree_report(scenario, outlook)
    flows = next(section for section in report.sections if section.title.startswith("Surplus"))
    assert flows.text == (wording("app.reports.none-no-node-leaves-any"),)
    assert flows.tables == ()


def _series_6(folder: Path) -> Path:
    """Series 6 over 20 minutes, with a note."""
    path = folder / "series-6.run"
    example = str(examples() / "convex-series-6.yaml")
    assert run(["simulate", example, "--until", "20min", "--sample", "10s", "--out", str(path)]) == 0
    answer = run(["run", "notes", str(path), "--add", "u21 logs in", "--at", "490s"])
    assert answer == 0
    return path


def test_a_run_says_who_got_what_and_what_happened(tmp_path: Path) -> None:
    report = run_report(RunReader(_series_6(tmp_path)))
    message = "\n".join(report.findings)
    assert "The run covers 0:20:00 under the policy share, seed 1, and is complete." in message
    # Shares without the system groups: u11 50 %, u21 40 %, u22 10 %; u22 has its group alone for 490 s.
    assert "above its share of machine, 10.00\xa0%." in report.findings[1]
    assert report.findings[1].startswith("root/gr2/u22 got ")
    assert "2 events: u21 logged in at 00:08:10" in message
    assert says(message, "app.reports.on-run", notes="1 note")
    assert [one.spec.quantity for one in report.figures][:2] == ["allocated_share", "effective_share"]
    rows = {row[0]: row for row in report.sections[1].tables[0].rows}
    leaves = [rows[f"root/{name}"] for name in ("gr1/u11", "gr1/u12", "gr2/u21", "gr2/u22", "gr2/u23")]
    assert sum(float(row[1]) for row in leaves) == pytest.approx(100, abs=0.02)
    assert sum(float(row[2]) for row in leaves) == pytest.approx(100, abs=0.02)
    assert not any("Daemon" in path for path in rows)
    last = {row[0]: row[1:] for row in report.sections[1].tables[1].rows}
    assert float(last["u21"][0]) == pytest.approx(40, abs=0.01)  # allocated share
    commands = report.sections[-1].commands
    assert commands[0] == (
        wording(
            "app.reports.fsconsole-simulate-until-s-out",
            file="scenario.yaml",
            run="1200",
            name="series-6.run\n"
            + wording("app.reports.fsconsole-run-report-out-report", name="series-6.run"),
        )
    )
    assert parse_scenario(commands[1]).title == "Convex series 6"


def test_a_run_report_is_the_same_bytes_and_names_what_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _series_6(tmp_path)
    files = [tmp_path / "a.pdf", tmp_path / "b.pdf"]
    for file in files:
        assert run(["run", "report", str(path), "--out", str(file)]) == 0
    assert files[0].read_bytes() == files[1].read_bytes()
    assert run(["run", "report", str(path), "--out", str(files[0])]) == 1
    assert "exists already" in capsys.readouterr().err
    assert run(["run", "report", str(path), "--out", str(tmp_path / "c.html"), "--nodes", "nobody"]) == 1
    assert "nobody" in capsys.readouterr().err
    assert not (tmp_path / "c.html").exists()


def test_a_run_without_samples_has_no_report(tmp_path: Path) -> None:
    path = _series_6(tmp_path)
    for file in path.glob("*.parquet"):
        file.unlink()
    (path / "index.jsonl").write_text("")
    with refuses(RunError, "app.reports.contains-no-samples-yet"):
        run_report(RunReader(path))
