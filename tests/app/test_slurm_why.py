from __future__ import annotations

import math
import re
from dataclasses import replace
from itertools import combinations, islice

import pytest

from fsconsole.app.slurm_why.account import why_account
from fsconsole.app.slurm_why.answer import Answer, NoAnswer
from fsconsole.app.slurm_why.associations import why_user, why_users
from fsconsole.app.slurm_why.facts import Facts
from fsconsole.app.slurm_why.job import why_job
from fsconsole.slurm.fairshare import SharesChange, fairshare_of, with_shares
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.parsers.scontrol_config import read_scontrol_config
from fsconsole.slurm.parsers.scontrol_partition import read_scontrol_partition
from fsconsole.slurm.parsers.sprio import JobPriority
from fsconsole.slurm.parsers.squeue import read_squeue
from fsconsole.slurm.parsers.squeue_text import FIELDS_BEFORE, read_squeue_text
from fsconsole.slurm.parsers.sshare import Sshare, read_sshare
from fsconsole.text.words import count_words, listed
from tests.slurm.captured import OLD_EXAMPLE, captured
from tests.texts import Expected, naming, refuses, refuses_naming, says, slots_in, worded, wording

_ROOM = "app.slurm_why"


def of_example() -> Facts:
    folder = OLD_EXAMPLE
    return Facts(
        "testlab",
        read_scontrol_config((folder / "settings.txt").read_text()),
        read_sshare((folder / "usage.txt").read_text()),
        read_squeue_text((folder / "jobs.txt").read_text(), 1795349700.0, fields=FIELDS_BEFORE).items,
        as_of_s=1795349700.0,
    )


def of_capture(name: str) -> Facts:
    return Facts("lab", None, read_sshare(captured(name)))


def row_of(shares: Sshare, user: str, account: str) -> int:
    rows = enumerate(zip(shares.tree.user, shares.tree.account, strict=True))
    return next(row for row, both in rows if both == (user, account))


def check(answer: Answer) -> None:
    assert 1 <= len(answer.sentences) <= 3
    assert answer.change
    assert all(len(row) == len(answer.columns) for row in answer.rows)
    assert all(sentence.endswith((".", "?")) for sentence in (*answer.sentences, answer.change))


def numbers_in(sentence: str) -> list[float]:
    return [float(number) for number in re.findall(r"\d+(?:\.\d+)?", sentence)]


@pytest.mark.parametrize("name", ["fairtree.psv", "classic-worked.psv", "running.psv", "parent_tie.psv"])
def test_each_user_pair_and_account_of_a_real_cluster_has_an_answer(name: str) -> None:
    """With the fairshare that sshare printed beside the name, and the place that follows from all of them."""
    facts = of_capture(name)
    assert facts.shares is not None
    tree, factors = facts.shares.tree, facts.shares.printed.fairshare
    rows = {(tree.user[row], tree.account[row]): row for row in range(len(tree)) if tree.user[row]}
    of_users = factors[list(rows.values())]
    for (user, account), row in rows.items():
        answer = why_user(facts, f"{user}@{account}")
        check(answer)
        assert answer.rows[-1][0].strip() == user
        place = 1 + int((of_users > factors[row]).sum())
        found = numbers_in(answer.sentences[0])
        assert found == [pytest.approx(factors[row], abs=5.1e-5), place, len(rows)]
    for one, other in islice(combinations(rows, 2), 60):
        answer = why_users(facts, "@".join(one), "@".join(other))
        check(answer)
        both = sorted((float(factors[rows[one]]), float(factors[rows[other]])), reverse=True)
        expected = [pytest.approx(value, abs=5.1e-5) for value in dict.fromkeys(both)]
        assert numbers_in(answer.sentences[0]) == expected
    for account in dict.fromkeys(tree.account):
        answer = why_account(facts, account)
        check(answer)
        below = {row[0]: row[-1] for row in answer.rows}
        own = {user: factors[row] for (user, of), row in rows.items() if of == account}
        assert {user: float(below[user]) for user in own} == pytest.approx(own, abs=5.1e-5)


def test_the_shares_that_would_put_the_other_first_are_the_least_that_do() -> None:
    facts = of_example()
    answer = why_users(facts, "anna", "ben")
    assert answer.sentences[0] == wording(
        "slurm.goes-before-fairshare-against", tree="anna", tree_2="ben", factor="0.2109", factor_2="0.1455"
    )
    assert answer.change == wording(
        "app.slurm_why.goes-first-with-of-instead", name="ben", wanted="9 shares", who="ben", now="5"
    )
    assert facts.shares is not None
    tree = facts.shares.tree
    anna, ben = (row_of(facts.shares, name, "ocean") for name in ("anna", "ben"))
    factors = [fairshare_of(with_shares(tree, [SharesChange(ben, shares)])).fairshare for shares in (8, 9)]
    assert [bool(factor[ben] > factor[anna]) for factor in factors] == [False, True]


def test_fair_tree_names_the_level_where_most_is_lost_and_the_shares_that_pass_the_next_branch() -> None:
    facts = of_capture("fairtree.psv")
    answer = why_user(facts, "fs_finn")
    assert answer.sentences[1] == wording(
        "app.slurm_why.rank-is-lost-mostly-on",
        standing="root",
        most="3",
        branches="branches",
        users="10 users",
        name="bio",
        level_fs="0.9140",
    )
    passes = wording("app.slurm_why.passes-levelfs", name="bio", standing="physics", target="0.9151")
    needed = wording("app.slurm_why.with-instead-of", needed="31 shares", now="30")
    assert answer.change == f"{passes}{needed}."
    assert facts.shares is not None
    tree = facts.shares.tree
    bio, physics = (row_of(facts.shares, "", name) for name in ("bio", "physics"))
    for shares, is_above in ((30, False), (31, True)):
        found = fairshare_of(with_shares(tree, [SharesChange(bio, shares)]), by_rank=True).level_fs
        assert bool(found[bio] > found[physics]) is is_above


def test_an_account_in_a_busy_group_hears_of_the_group_and_its_members_add_up() -> None:
    answer = why_account(of_example(), "ocean")
    assert says(answer.sentences[0], "app.slurm_why.times-its-share", used="1.02")
    assert answer.change.startswith(
        wording("app.slurm_why.nothing-on-level-below-used", top="science", name="ocean")
        + wording("app.slurm_why.as-whole-used-times-its", top="science", used="1.37")
    )
    assert sum(float(row[3].removesuffix("\xa0%")) for row in answer.rows) == pytest.approx(100, abs=0.2)


def test_a_user_with_several_associations_is_the_one_with_most_usage_and_the_others_are_named() -> None:
    answer = why_user(of_example(), "anna")
    assert says(
        answer.remarks,
        "app.slurm_why.has-associations-others",
        user="anna",
        found="2",
        places="anna@ocean",
        why=wording("app.slurm_why.has-most-usage"),
        others="anna@climate",
    )
    assert not says(why_user(of_example(), "anna@climate").remarks, "app.slurm_why.has-associations-others")


def test_a_pending_job_has_its_place_and_the_fairshare_that_it_needs() -> None:
    facts = of_example()
    answer = why_job(facts, "32")
    assert answer.sentences[0] == (
        wording(
            "app.slurm_why.job-of-is-pending",
            label="32",
            user="finn",
            job=wording("app.jobs.jobs-of-higher-priority-go") + " (Priority)",
        )
    )
    place = wording(
        "app.slurm_why.it-is-number-of-in",
        place="2",
        count="22 eligible jobs",
        partition="batch",
        priority="34,199",
        label="49",
        user="hugo",
        thousands="34,790",
    )
    assert place in " ".join(answer.as_text().split())
    gap = count_words(592, "more point")
    assert answer.change.startswith(
        wording("app.slurm_why.of-priority-it-before-job", gap=gap, verb="put", label="49.")
    )
    assert not answer.rows
    parts = {32: (34_000.0, 199.0), 49: (34_599.0, 191.0)}
    rows = {
        number: JobPriority(
            job_id=number, partition="batch", user="", priority=sum(both),
            parts={"fairshare": both[0], "jobsize": both[1]},
        )
        for number, both in parts.items()
    }  # fmt: skip
    asked = replace(facts, priorities=lambda jobs: {job.job_id: rows[job.job_id] for job in jobs})
    answer = why_job(asked, "32")
    assert answer.columns == ("Factor", "32", "Weight", "49", "Difference")
    assert answer.rows[0] == ("Fairshare", "34\u202f000", "100\u202f000", "34\u202f599", "\u2212599")
    needed = "a fairshare of 0.3460 instead of 0.3400."
    assert says(answer.change, "app.slurm_why.of-priority-it-before-job", verb="put", label=f"49: {needed}")
    check(answer)


def test_all_jobs_of_real_queues_have_an_answer() -> None:
    example = of_example()
    for jobs in (
        example.jobs,
        *(read_squeue(captured(f"{name}.json")).items for name in ("plain/squeue", "odd/squeue-O")),
    ):
        facts = replace(example, jobs=jobs)
        for job in jobs:
            check(why_job(facts, job.label))


@pytest.mark.parametrize(
    ("reason", "change"),
    [
        ("JobHeldUser", naming("scontrol release 7")),
        (
            "AssocGrpCpuLimit",
            (worded("app.slurm_why.other-jobs-under-same-limit", reason="AssocGrpCpuLimit")),
        ),
        ("QOSMaxJobsPerUserLimit", naming("QOSMaxJobsPerUserLimit names it")),
        ("Dependency", worded("app.slurm_why.job-that-it-depends-on")),
        ("BeginTime", worded("app.slurm_why.its-start-time-must-be")),
        ("PartitionTimeLimit", worded("app.slurm_why.set-time-limit-scontrol-update", job_id="7")),
        ("", worded("app.slurm_why.running-jobs-must-free-resources")),
    ],
)
def test_what_ends_the_wait_follows_from_the_reason(reason: str, change: Expected) -> None:
    job = Job(job_id=7, user="anna", partition="batch", states=("PENDING",), reason=reason, priority=5)
    answer = why_job(Facts("lab", None, jobs=(job,)), "7")
    assert says(answer.change, change)
    check(answer)


MIXED = Job(job_id=32, user="anna", partition="batch", states=("PENDING",), priority=900, array_job_id=32,
            array_tasks="1-4", reason="BeginTime,AssocGrpCpuLimit,JobHeldAdmin")  # fmt: skip


@pytest.mark.parametrize("label", ["32", "32_2"])
def test_tasks_with_different_reasons_have_each_of_them_and_no_place(label: str) -> None:
    other = replace(MIXED, job_id=7, array_job_id=0, array_tasks="", reason="Priority", priority=1000)
    answer = why_job(Facts("lab", None, jobs=(MIXED, other)), label)
    check(answer)
    assert all(reason in answer.sentences[0] for reason in MIXED.reasons)
    assert says(answer.sentences[0], f"{_ROOM}.job-of-is-pending-its")
    assert not says(answer.as_text(), naming("eligible"))
    assert not says(answer.as_text(), naming("priority"))
    assert answer.columns == ()


def test_a_cluster_that_shows_tasks_apart_explains_the_one_that_was_asked_for() -> None:
    tasks = tuple(
        replace(MIXED, job_id=32 + at, array_tasks=str(at), reason=reason, priority=900 * (at > 1))
        for at, reason in enumerate(("JobHeldAdmin", "Priority", "Priority"), 1)
    )
    facts = Facts("lab", None, jobs=(MIXED,), tasks=lambda _job: tasks)
    held, waits = (why_job(facts, label) for label in ("32_1", "32_3"))
    assert says(held.change, naming("scontrol release 33"))
    assert "2 of 2 eligible" in waits.sentences[1]
    assert says(why_job(facts, "32").sentences[0], f"{_ROOM}.job-of-is-pending-its")


def _pair(mine: Job, before: Job, points: tuple[float, float]) -> Answer:
    """Why the first waits for the second, with the example's weight of fairshare, 100,000."""
    rows = {
        job.job_id: JobPriority(
            job_id=job.job_id, partition="batch", user="", priority=float(job.priority or 0),
            parts={"fairshare": value},
        )
        for job, value in zip((mine, before), points, strict=True)
    }  # fmt: skip
    facts = replace(of_example(), jobs=(mine, before), priorities=lambda _jobs: rows)
    return why_job(facts, mine.label)


WAITS = Job(job_id=52, user="fs_ben", account="hep", partition="batch", states=("PENDING",),
            reason="Priority", priority=86_746)  # fmt: skip


def test_more_fairshare_puts_no_job_before_one_of_the_same_user() -> None:
    answer = _pair(WAITS, replace(WAITS, job_id=63, priority=86_761), (86_730.0, 86_730.0))
    gap = count_words(16, "more point")
    lead = wording("app.slurm_why.of-priority-it-before-job", gap=gap, verb="put", label="63")
    assert answer.change.startswith(
        wording("app.slurm_why.more-fairshare-raises-both-both", lead=lead, user="fs_ben", account="hep")
    )
    other = replace(WAITS, job_id=63, priority=86_761, user="fs_cora")
    assert says(
        _pair(WAITS, other, (86_730.0, 86_745.0)).change,
        "app.slurm_why.fairshare-of-instead-of",
        needed="0.8675",
        now="0.8673",
    )


def test_the_fairshare_that_is_named_is_enough() -> None:
    for gap in range(1, 60):
        other = replace(WAITS, job_id=19, priority=86_745 + gap, user="fs_cora")
        change = _pair(WAITS, other, (86_730.0, 86_729.0 + gap)).change
        named = slots_in(change, "app.slurm_why.fairshare-of-instead-of")
        assert float(named["needed"]) * 100_000 >= 86_730 + gap - 1e-6
        assert float(named["needed"]) > float(named["now"])


def test_of_two_with_one_priority_the_lower_number_goes_first() -> None:
    mine = replace(WAITS, job_id=21, user="fs_lars", priority=100_000)
    answer = _pair(mine, replace(mine, job_id=19, user="fs_kim"), (100_000.0, 100_000.0))
    gap = count_words(1, "more point")
    lead = wording("app.slurm_why.of-priority-it-before-job", gap=gap, verb="puts", label="19")
    both = wording("app.slurm_why.both-have-same-priority-so", lead=lead)
    assert answer.change.startswith(wording("app.slurm_why.its-fairshare-is-already-1", lead=both))
    close = replace(WAITS, job_id=63, priority=86_747, user="fs_cora")
    assert says(
        _pair(WAITS, close, (86_730.0, 86_731.0)).change,
        "app.slurm_why.fairshare-of-instead-of",
        needed="0.86732",
        now="0.86730",
    )


def test_a_job_that_slurm_suspended_is_not_to_be_resumed_by_hand() -> None:
    folder = OLD_EXAMPLE
    partitions = read_scontrol_partition((folder / "partitions.txt").read_text()).items
    answer = why_job(replace(of_example(), partitions=partitions), "1")
    assert answer.change.startswith(
        wording(
            "app.slurm_why.slurm-suspended-it-and-resumes",
            taker="",
            sure=wording(
                "app.slurm_why.job-of-in",
                label="52",
                user="hugo",
                partition="dedicated" + wording("app.slurm_why.which-probably-displaced-it"),
            ),
        )
    )
    stopped = Job(job_id=7, user="anna", partition="batch", states=("SUSPENDED",), priority=0)
    change = why_job(Facts("lab", None, jobs=(stopped,)), "7").change
    assert change == wording("app.slurm_why.operator-must-resume-it-scontrol", job_id="7")


@pytest.mark.parametrize(
    ("reason", "dependency", "message", "change"),
    [
        ("Dependency", "afterok:26(unfulfilled)", "pending: waits for 26 to end without error (Dependency).",
         "That must happen first. fsconsole slurm why job 26 explains that job."),
        ("DependencyNeverSatisfied", "afterok:79(failed)",
         "pending: waits for 79 to end without error (cannot happen any more; DependencyNeverSatisfied).",
         "It cannot start: remove or set its dependency, or cancel it."),
        ("Nodes_required_for_job_are_DOWN,_DRAINED_or_reserved_for_jobs_in_higher_priority_partitions", "",
         "pending: its nodes are down, drained, or reserved for partitions of higher priority.",
         "Running jobs"),
    ],
)  # fmt: skip
def test_a_reason_is_reported_once(reason: str, dependency: str, message: str, change: str) -> None:
    job = replace(WAITS, reason=reason, dependency=dependency)
    answer = why_job(Facts("lab", None, jobs=(job,)), "52")
    assert answer.sentences[0].endswith(message)
    assert answer.change.startswith(change)


def test_two_users_take_three_sentences() -> None:
    for answer in (
        why_users(of_example(), "anna", "finn"),
        why_users(of_capture("running.psv"), "fs_anna", "fs_ida"),
    ):
        assert len(answer.sentences) <= 3
        assert all(". " not in sentence for sentence in answer.sentences)


def test_two_users_of_which_one_has_no_fairshare_are_not_called_equal() -> None:
    facts = of_example()
    assert facts.shares is not None
    shares, silent = facts.shares, row_of(facts.shares, "dirk", "climate")
    factors = shares.printed.fairshare.copy()
    factors[silent] = math.nan
    facts = replace(facts, shares=replace(shares, printed=replace(shares.printed, fairshare=factors)))
    for pair in (("ben", "dirk"), ("dirk", "ben")):
        answer = why_users(facts, *pair)
        assert says(answer.sentences[0], "slurm.sshare-shows-no-fairshare-of", unknown="dirk")
        assert says(answer.change, f"{_ROOM}.cannot-compute-what-would-change")


@pytest.mark.parametrize("damping", [1, 2, 3, 5])
def test_usage_is_not_said_to_stay_below_the_share_where_dampening_alone_makes_up_for_it(
    damping: int,
) -> None:
    facts = of_example()
    assert facts.settings is not None
    assert facts.shares is not None
    tree = facts.shares.tree
    facts = replace(facts, settings=replace(facts.settings, dampening=damping))
    for row in range(len(tree)):
        answer = why_user(facts, f"{tree.user[row]}@{tree.account[row]}") if tree.user[row] else None
        ratio = float(answer.rows[-1][-2] or "nan") if answer is not None else math.nan
        if answer is None or math.isnan(ratio) or abs(ratio - 1) < 1e-3 or abs(ratio - damping) < 1e-3:
            continue
        assert says(answer.change, f"{_ROOM}.none-is-needed-its-usage") is (ratio < 1)
        by_damping = says(answer.change, f"{_ROOM}.none-is-needed-with-dampening", damping=damping)
        assert by_damping is (1 < ratio < damping)


@pytest.mark.parametrize("column", ["norm_shares", "effective_usage"])
def test_rows_with_a_blank_value_are_named(column: str) -> None:
    facts = of_example()
    assert facts.shares is not None
    shares, blank = facts.shares, row_of(facts.shares, "dirk", "climate")
    key = f"{_ROOM}.sshare-printed-no-of-computed"
    assert not any(says(remark, key) for remark in why_user(facts, "ben").remarks)
    values = getattr(shares.printed, column).copy()
    values[blank] = math.nan
    facts = replace(facts, shares=replace(shares, printed=replace(shares.printed, **{column: values})))
    assert any(says(remark, key, names="dirk") for remark in why_user(facts, "ben").remarks)


def test_what_private_data_hides_is_reported() -> None:
    facts = of_example()
    assert facts.settings is not None
    private = replace(facts.settings, values={**facts.settings.values, "privatedata": "jobs,usage"})
    remark, *_ = why_account(replace(facts, settings=private), "ocean").remarks
    kinds = listed(["usage", "jobs"])
    hides = wording("app.slurm_why.slurm-may-hide-of-others", kinds=kinds)
    assert remark.startswith(f"PrivateData=jobs,usage: {hides}")


def test_what_cannot_be_answered_says_what_to_ask_instead() -> None:
    facts = of_example()
    with refuses_naming(NoAnswer, "'anno'", "'anna'"):
        why_user(facts, "anno")
    with refuses_naming(NoAnswer, "'ocaen'", "'ocean'"):
        why_account(facts, "ocaen")
    with refuses(NoAnswer, "app.slurm_why.name-two-different-users"):
        why_users(facts, "ben", "ben@ocean")
    with refuses(NoAnswer, "app.slurm_why.squeue-shows-no-job-it"):
        why_job(facts, "999")
    with refuses(NoAnswer, "slurm.is-not-job-number-example"):
        why_job(facts, "x7")
    problem = "sshare is not there."
    with refuses_naming(NoAnswer, problem):
        why_user(Facts("lab", None, problems={"usage": problem}), "anna")


@pytest.mark.parametrize(
    "command",
    [
        "fsconsole slurm limit ocean GrpTRES=cpu=64",
        "fsconsole slurm limit qos:very-long-name-of-a-qos MaxTRESPerUser=gres/gpu=8",
        "scontrol update jobid=4711 account=NAME",
        "scontrol release 4711",
    ],
)
def test_a_command_stays_on_one_line(command: str) -> None:
    for blanks in range(40, 110):
        change = (
            f"{'x' * (blanks % 7 + 1)} {'word ' * (blanks // 5)}an operator does it: {command}, or waits."
        )
        lines = Answer("about", ("y.",), (), (), change).as_text().splitlines()
        assert sum(command in line for line in lines) == 1
        assert all(len(line) <= 100 or command in line for line in lines)
        assert " ".join(lines[4:]) == wording("app.slurm_why.change-that-helps", change=change)


def test_a_name_cannot_break_the_lines_of_a_ticket() -> None:
    job = Job(job_id=7, user="a\x1b[31m", partition="b", states=("RUNNING",), nodes="n1")
    text = Answer("x", ("y.",), ("Name", "N"), (("a\nb", "1"),), "z.").as_text()
    expected = "a\\u000ab  1"
    assert expected in text
    check(why_job(Facts("lab", None, jobs=(job,)), "7"))


@pytest.mark.parametrize(
    "reason",
    ["Resources", "Priority", "Dependency", "AssocGrpCpuLimit", "JobHeldUser", "BeginTime", "Licenses", ""],
)
@pytest.mark.parametrize("in_s", [-86_400, -1, 0, 90, 9_000])
def test_slurms_expected_start_stands_wherever_a_job_waits_unless_it_has_passed(
    reason: str, in_s: int
) -> None:
    now = 1795349700
    job = replace(WAITS, reason=reason, start_s=now + in_s)
    change = why_job(Facts("lab", None, jobs=(job,), as_of_s=float(now)), "52").change
    is_expected = in_s > 0 and reason != "BeginTime"
    assert says(change, f"{_ROOM}.running-jobs-must-free-resources-2") is is_expected
    if reason == "BeginTime":
        assert says(change, f"{_ROOM}.its-start-time-must-be") is (in_s > 0)
        assert says(change, f"{_ROOM}.its-start-time-has-passed") is (in_s <= 0)


def test_the_start_of_a_pending_job_in_the_past_is_no_prediction() -> None:
    now = 1795349700.0
    for job in of_example().jobs:
        for as_of_s in (now, now + 7200.0, now + 864_000.0):
            start_s = job.expected_start_s(as_of_s)
            assert start_s is None or (job.is_pending and start_s == job.start_s and start_s > as_of_s)


def test_an_account_with_the_share_parent_has_the_shares_of_its_users() -> None:
    facts = of_example()
    medicine = why_account(facts, "medicine")
    parts = {row[0]: row[2] for row in medicine.rows}
    assert parts == {"imaging": "33.3\xa0%", "trials": "66.7\xa0%"}
    imaging = why_account(facts, "imaging")
    assert says(imaging.sentences, f"{_ROOM}.of-on-level-below", level="3")
    trials = why_account(facts, "trials")
    assert says(trials.sentences[0], f"{_ROOM}.of-cluster-s-shares-and", share="21.98\xa0%")
    ida = {row[0]: row[2] for row in imaging.rows}
    assert ida["ida"] == ""


def _facts_without(text: str, *columns: str) -> Facts:
    rows = [line.split("|") for line in text.rstrip("\n").split("\n")]
    places = {rows[0].index(name) for name in columns}
    blank = [["" if at in places else cell for at, cell in enumerate(row)] for row in rows[1:]]
    return Facts("lab", None, read_sshare("\n".join("|".join(row) for row in [rows[0], *blank])))


def test_level_fs_that_was_not_printed_is_computed() -> None:
    text = captured("fairtree.psv")
    found = why_user(_facts_without(text, "LevelFS"), "fs_finn")
    assert found.change == why_user(of_capture("fairtree.psv"), "fs_finn").change


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        ("fairtree.psv", ("NormUsage", "RawUsage", "LevelFS")),
        ("running.psv", ("NormUsage", "RawUsage", "EffectvUsage")),
        ("running.psv", ("NormUsage", "RawUsage")),
    ],
)
def test_no_answer_follows_from_usage_that_is_unknown(name: str, columns: tuple[str, ...]) -> None:
    facts = _facts_without(captured(name), *columns)
    assert facts.shares is not None
    users = [user for user in facts.shares.tree.user if user]
    for user in users:
        with pytest.raises(NoAnswer):
            why_user(facts, user)
    for account in set(facts.shares.tree.account):
        with pytest.raises(NoAnswer):
            why_account(facts, account)


def test_a_place_among_users_of_whom_some_have_no_fairshare_is_not_given() -> None:
    text = captured("running.psv")
    lines = [
        "|".join([*cells[:7], "", *cells[8:]]) if (cells := line.split("|"))[1] == "fs_hugo" else line
        for line in text.rstrip("\n").split("\n")
    ]
    answer = why_user(Facts("lab", None, read_sshare("\n".join(lines))), "fs_anna")
    assert not says(answer.sentences[0], "app.slurm_why.place-of")
