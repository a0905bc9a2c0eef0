"""Why a job waits for a limit: who sets it with which number, from a capture of real jobs that wait so."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from fsconsole.app.slurm_why.answer import Answer
from fsconsole.app.slurm_why.facts import Facts, LimitFacts
from fsconsole.app.slurm_why.job import why_job
from fsconsole.cli.main import run
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.own_limits import read_own_limits, with_own
from fsconsole.slurm.parsers.assoc import read_assoc
from fsconsole.slurm.parsers.qos import read_qos
from fsconsole.slurm.parsers.scontrol_config import read_scontrol_config
from fsconsole.slurm.parsers.squeue_text import read_squeue_text
from fsconsole.targets.slurm.reading import ASSOC_COLUMNS
from tests.slurm.clusters import stored_of
from tests.texts import says, wording

CAPTURE = Path(__file__).parents[1] / "data" / "slurm" / "limits"
OF_26 = CAPTURE.parent / "26.05"


def limit_facts() -> Facts:
    def text(name: str) -> str:
        return (CAPTURE / f"{name}.txt").read_text()

    stored = read_assoc(text("tree"), "testlab", ASSOC_COLUMNS)
    stored = with_own(stored, read_own_limits(text("own_limits")), ASSOC_COLUMNS)
    known = LimitFacts(stored, read_qos(text("qos")).items)
    jobs = read_squeue_text(text("jobs"), 1795666000.0).items
    return Facts("testlab", read_scontrol_config(text("settings")), None, jobs, limits=lambda: known)


def _job(reason: str, user: str = "") -> Answer:
    facts = limit_facts()
    label = next(one.label for one in facts.jobs if one.reason == reason and user in ("", one.user))
    answer = why_job(facts, label)
    assert len(answer.sentences) <= 3
    assert all(len(row) == len(answer.columns) for row in answer.rows)
    return answer


def _reached(job: str, user: str, reason: str, label: str, value: str, where: str) -> str:
    """The sentence on a job that waits for a limit."""
    return wording(
        "app.slurm_why.is-reached",
        start=wording("app.slurm_why.job-of-is-pending-2", label=job, user=user),
        limit=wording("app.slurm_why.of", label=label, value=value, where=where),
        reason=reason,
    )


def test_a_limit_of_an_account_as_a_whole() -> None:
    answer = _job("AssocGrpJobsLimit")
    assert answer.sentences[:2] == (
        _reached("12", "daemon", "AssocGrpJobsLimit", "GrpJobs", "1", "account teaching"),
        wording(
            "app.slurm_why.it-applies-to-all-jobs",
            where="account teaching",
            in_use=wording("app.slurm_why.for-it-now", used="1", verb="job counts"),
        ),
    )
    assert answer.columns == ("Set by", "GrpJobs", "In use")
    assert answer.rows[1] == ("account teaching", "1", "1")
    assert says(
        answer.change, "app.slurm_why.fsconsole-slurm-limit", target="teaching", label="GrpJobs", value="2."
    )


def test_a_limit_of_its_own_is_told_from_an_inherited_one() -> None:
    own = _job("AssocMaxJobsLimit", "games")
    games, trials = (
        wording("app.cluster.in", name=user, name_2=account)
        for user, account in (("games", "ocean"), ("list", "trials"))
    )
    limit = wording("app.slurm_why.of", label="MaxJobs", value="3", where=games)
    assert says(own.sentences[0], "app.slurm_why.is-reached", limit=limit)
    in_use = wording("app.slurm_why.for-it-now", used="3", verb="jobs count")
    assert own.sentences[1] == wording("app.slurm_why.sets-it-itself", where=games, in_use=in_use)
    assert ("account science", "10") in own.rows
    inherited = _job("AssocMaxJobsLimit", "list")
    limit = wording("app.slurm_why.of", label="MaxJobs", value="1", where="account trials")
    assert says(inherited.sentences[0], "app.slurm_why.is-reached", limit=limit)
    # The one that counts is suspended.
    in_use = wording("app.slurm_why.for-it-now", used="1", verb="job counts")
    assert inherited.sentences[1] == wording(
        "app.slurm_why.inherits-it-from", where=trials, where_2="account trials", in_use=in_use
    )
    command = wording("app.slurm_why.fsconsole-slurm-limit", target="list@trials", label="MaxJobs", value="2")
    assert says(inherited.change, "app.slurm_why.or-only-for", where=trials, target=command)


def test_a_limit_that_exists_by_qos_only_is_said_to() -> None:
    answer = _job("QOSMaxJobsPerUserLimit")
    limit = wording("app.slurm_why.of", label="MaxJobsPU", value="1", where="QOS high")
    assert says(answer.sentences[0], "app.slurm_why.is-reached", limit=limit)
    assert says(answer.sentences[1], "app.slurm_why.limit-exists-only-for-qos", user="proxy")
    assert says(
        answer.change, "app.slurm_why.fsconsole-slurm-limit", target="qos:high", label="MaxJobsPU", value="2"
    )


def test_what_one_job_may_not_have_is_reported_beside_what_it_asks_for() -> None:
    facts = limit_facts()
    job = replace(facts.jobs[0], states=("PENDING",), user="games", account="ocean",
                  reason="AssocMaxWallDurationPerJobLimit", time_limit_s=2 * 86400.0)  # fmt: skip
    answer = why_job(replace(facts, jobs=(job,)), job.label)
    asks = "it requests 2-00:00:00, more than MaxWall 1-00:00:00 of account science allows"
    assert asks in answer.sentences[0]
    assert says(answer.change, "app.slurm_why.it-must-request-or-less", least="1-00:00:00")
    assert says(
        answer.change,
        "app.slurm_why.fsconsole-slurm-limit",
        target="science",
        label="MaxWall",
        value="2-00:00:00",
    )


def test_usage_that_counts_decays() -> None:
    facts = limit_facts()
    job = replace(facts.jobs[0], states=("PENDING",), user="games", account="ocean",
                  reason="AssocGrpCPUMinutesLimit")  # fmt: skip
    answer = why_job(replace(facts, jobs=(job,)), job.label)
    limit = ("GrpTRESMins", "cpu=100000", "account science")
    assert answer.sentences[0] == _reached(job.label, "games", "AssocGrpCPUMinutesLimit", *limit)
    assert says(answer.change, "app.slurm_why.decays-by-half-in")
    assert "GrpTRESMins=cpu=AMOUNT" in answer.change


def test_by_the_command_line_and_from_captures_without_own_limits(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["slurm", "why", "job", "12", "--capture", str(CAPTURE), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["table"][1] == {"Set by": "account teaching", "GrpJobs": "1", "In use": "1"}
    folder = tmp_path / "older"
    folder.mkdir()
    for path in OF_26.iterdir():
        (folder / path.name).write_text(path.read_text().replace("JobHeldUser", "AssocMaxJobsLimit"))
    facts_of = json.loads((folder / "capture.json").read_text())
    assert "own_limits" not in str(facts_of)
    assert run(["slurm", "why", "job", "6", "--capture", str(folder), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    where = wording("app.cluster.in", name="lp", name_2="climate")
    limit = wording("app.slurm_why.of", label="MaxJobs", value="10", where=where)
    assert says(data["sentences"][0], "app.slurm_why.is-reached", limit=limit, reason="AssocMaxJobsLimit")
    assert says(data["sentences"][1], "app.slurm_why.account-that-sets-it-was")


def _facts_of(limit: str, jobs: tuple[Job, ...], tres: dict[int, str]) -> Facts:
    """A user anna in ocean, with one limit of the account."""
    stored = stored_of("ocean 3\n  anna* 1\n  ben* 1\n")
    own = tuple({"GrpTRES": limit} if row == 1 else {} for row in range(len(stored.tree)))
    known = LimitFacts(replace(stored, own=own))
    return Facts("lab", None, None, jobs, limits=lambda: known, tres=lambda: tres)


@pytest.mark.parametrize(
    ("reason", "limit", "asked", "held", "used", "raised"),
    [
        ("AssocGrpMemLimit", "mem=10G", "cpu=1,mem=4G", "mem=8000M", "mem=8000M", "mem=12096M"),
        ("AssocGrpGRES", "gres/gpu=4", "gres/gpu=2", "gres/gpu=3", "gres/gpu=3", "gres/gpu=5"),
        ("AssocGrpGRES", "gres/gpu:a100=4", "gres/gpu=2,gres/gpu:a100=2", "gres/gpu=3,gres/gpu:a100=3",
         "gres/gpu:a100=3", "gres/gpu:a100=5"),
        ("AssocGrpBillingLimit", "billing=10", "", "", "billing=9", "billing=13"),
        ("AssocGrpNodeLimit", "node=3", "", "", "node=3", "node=5"),
    ],
)  # fmt: skip
def test_memory_gres_billing_and_nodes_are_counted(
    reason: str, limit: str, asked: str, held: str, used: str, raised: str
) -> None:
    """Nodes that two jobs share count once: n1 to n3."""
    running = Job(job_id=1, user="ben", account="ocean", partition="p", states=("RUNNING",), nodes="n[1-2]",
                  node_count=2, billing=5.0)  # fmt: skip
    beside = replace(running, job_id=2, nodes="n[2-3]", billing=4.0)
    waits = Job(job_id=3, user="anna", account="ocean", partition="p", states=("PENDING",), reason=reason,
                node_count=2, billing=4.0)  # fmt: skip
    tres = {number: text for number, text in ((1, held), (3, asked)) if text}
    tres |= {2: "cpu=1"} if held else {}
    answer = why_job(_facts_of(limit, (running, beside, waits), tres), "3")
    assert says(answer.sentences[1], "app.slurm_why.of-it-is-in-use", found=used)
    assert f"GrpTRES={raised}" in answer.change
    assert ("account ocean", limit, used) in answer.rows


def test_memory_is_not_guessed_where_scontrol_does_not_answer() -> None:
    waits = Job(job_id=3, user="anna", account="ocean", partition="p", states=("PENDING",),
                reason="AssocGrpMemLimit")  # fmt: skip
    answer = why_job(_facts_of("mem=10G", (waits, replace(waits, job_id=4, states=("RUNNING",))), {}), "3")
    assert "in use" not in answer.as_text()
    assert "GrpTRES=mem=AMOUNT" in answer.change
