"""The terms of the field, one meaning each; column headers and parameters are called by them. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass

_JUNGLAS = "Junglas 1991"
_EVERITT = "Everitt, Jones and Knesel"
_BRADY = "Brady et al."
_YALIM = "Yalim 2020"


@dataclass(frozen=True, slots=True)
class Term:
    """A word, what it means, and the paper and section that it is from; empty where it is ours."""

    name: str
    meaning: str
    source: str = ""

    def holds(self, typed: str) -> bool:
        """Return whether name or meaning contains what is searched for, ignoring case."""
        return typed.strip().casefold() in f"{self.name} {self.meaning}".casefold()


_SHARES = (
    Term("Shares", "Whole number that says how much a node counts beside its siblings; a ratio, no part."),
    Term("Part of group", "Shares over the sum of the shares of all siblings, logged in or not."),
    Term(
        "Machine share",
        "Part of group times that of all groups above: what a node is entitled to while everybody is active. "
        "As a column of Design it is called part of machine.",
        f"{_JUNGLAS}, section 4",
    ),
    Term(
        "Part of machine",
        "The machine share; the word where it is shown in percent beside the part of group.",
    ),
    Term(
        "Allocated share",
        "Machine share among active siblings alone, so that who is away leaves his part to the others of his "
        "group first; 0 for who is not active. It follows groups even where the policy ignores them.",
        f"{_JUNGLAS}, section 6",
    ),
    Term(
        "Effective share",
        "Part of the CPU that the policy aims at now, from who has used how much.",
        f"{_JUNGLAS}, section 6",
    ),
    Term("Active", "Logged in, or with a process; a group with an active user or account below it."),
    Term("Entitled", "Part of the machine that somebody gets by shares and demands, surplus handed on."),
    Term("Demand", "The most of the machine that somebody can use; saturated where it has no end."),
    Term("Share quantum", "Smallest part of the machine that an active user counts as; sharemin."),
)
_USE = (
    Term(
        "Cost",
        "What ticks of CPU, requests to devices, system calls and memory add up to since the last delta, "
        "each at its price.",
        f"{_JUNGLAS}, section 3",
    ),
    Term("Usage", "Cost that is forgotten with time; it halves every half-life.", f"{_JUNGLAS}, section 3"),
    Term("Half-life", "Time in which usage that nothing is added to comes down to half."),
    Term(
        "Normalised usage",
        "Usage over allocated share. Under Share it becomes the same for all who can use their shares.",
        f"{_JUNGLAS}, section 6",
    ),
    Term("Charge", "All cost since the start, never forgotten, in CPU seconds at the normal price."),
    Term("CPU rate", "Part of the machine's CPU time that was used over the last seconds (the rate window)."),
    Term("CPU time", "Seconds of CPU given since the start, whatever they cost."),
)
_KERNEL = (
    Term("Tick", "Time between two choices of who runs, t3.", f"{_JUNGLAS}, section 3"),
    Term("Delta", "Time between two rounds in which cost becomes usage, t1.", f"{_JUNGLAS}, section 3"),
    Term(
        "Priority",
        "Number of a process. The lowest runs; each tick that it runs adds the increment, each second takes "
        "a part away.",
        f"{_JUNGLAS}, section 3",
    ),
    Term("Increment", "Priority points that a tick of CPU costs a process. It is how shares act."),
    Term("Usage / share²", "What Share makes increments of, times the number of processes; kusage."),
    Term("Nice", "0 to 39, 20 is normal: the higher, the slower a process's priority comes down."),
    Term("L-node", "What the kernel keeps of a user who is there, from first login to the sharer's round."),
    Term("Account", "A leaf that several people may charge; a user is a leaf that one person logs in to."),
)
_POLICIES = (
    Term(
        "Share, hierarchical",
        "Increments go with usage over the square of the allocated share.",
        f"{_JUNGLAS}, sections 3 and 4",
    ),
    Term("Share, flat", "Share with the shares of leaves alone, groups ignored.", f"{_EVERITT}, equation 2"),
    Term(
        "Hierarchical feedback",
        "Every group corrects what its children get by what they got.",
        f"{_EVERITT}, section 2.2.2",
    ),
    Term("Fixed priorities", "Increment 1 / share, whatever was used; FIXEDPRI.", _BRADY),
    Term("Process-fair", "Every process alike, whatever the shares; NOSCHED.", f"{_EVERITT}, section 2.1.1"),
    Term("ADJGROUPS", "Group adjustment: users of a group that got too much pay more for each tick."),
    Term("LIMSHARE", "Limit of effective shares, maxushare times the allocated ones."),
    Term(
        "Fair line",
        "Where the usages of two siblings are as their shares; feedback steers towards it.",
        _EVERITT,
    ),
)
_NIGHTS = (
    Term("SDS", "Secondary data segment, memory behind the main one that jobs ask for as a whole.", _BRADY),
    Term("MW", "2^20 words; a click is 512 words."),
    Term(
        "Near-dedicated",
        "One big job at a time gets what it needs, the others run on in what is left of the machine.",
        f"{_BRADY}, section 3.2",
    ),
    Term("Window", "Hours of the week in which near-dedicated jobs may run."),
    Term("Estimate", "Wall time that a job is thought to take, from the CPU time asked and the processors."),
    Term("URM", "Unified resource manager: recommends to NQS which waiting job to start.", _BRADY),
)
_VASUPONGAYYA = "Vasupongayya"
_EASY = "EASY backfilling"
_PARALLEL = (
    Term(
        "Cluster node", "What one job of a parallel workload has to itself; in a trace it is one processor."
    ),
    Term(
        "Pass",
        "Moment after jobs have come or ended, in which the policy decides which of those waiting start.",
    ),
    Term(
        "Reservation",
        "Earliest time at which a waiting job can start, kept free for it. In each pass it goes to the first "
        "job in order that does not fit.",
        f"{_VASUPONGAYYA}, section III-B",
    ),
    Term(
        "Backfilling",
        "A later job starts before an earlier one that does not fit, where that delays no reservation.",
        f"{_VASUPONGAYYA}, section III-B",
    ),
    Term(
        "Conservative backfilling",
        "Every waiting job holds a reservation from its arrival on, and no later job delays any.",
        "Mu'alem and Feitelson, section 2.2",
    ),
    Term(
        "Slurm multifactor",
        "The job with the largest priority of priority/multifactor is first: points for age, fairshare, "
        "size, partition and QOS. Usage and priorities are calculated every 5 min by default.",
        "Slurm 22.05",
    ),
    Term("SJF-backfill", "Shortest job first: the job with the shortest runtime is first in order."),
    Term(
        "Shadow time",
        "When the job that holds a reservation is planned to start. What is backfilled ends by then, or "
        "needs no more than the extra nodes.",
        _EASY,
    ),
    Term("Extra nodes", "Nodes left free beside a reserved job when it is planned to start.", _EASY),
    Term(
        "Fair-share window",
        "Time from whose start usage and entitlement of users are counted; then they begin again.",
        f"{_VASUPONGAYYA}, section II-B",
    ),
    Term(
        "Entitled nodes",
        "Nodes by shares among users with jobs running or waiting, no more than these jobs need; what they "
        "leave is shared in the same way. The entitled share of a time is their sum, in node-hours.",
        f"{_VASUPONGAYYA}, section III-C",
    ),
    Term(
        "Expected usage",
        "What running and reserved jobs will still use in the window, counted as used already.",
        f"{_VASUPONGAYYA}, section III-B",
    ),
    Term(
        "Carried reservation",
        "Reservation that counts as expected usage in the next pass too, until that gives one.",
    ),
    Term("Slowdown", "Wait and runtime over runtime. LXF-backfill takes jobs with the largest one first."),
    Term(
        "Bounded slowdown",
        "Wait and runtime over runtime, a runtime below a minute counted as one (only as divisor).",
        f"{_VASUPONGAYYA}, section IV",
    ),
    Term("99th-percentile wait", "Shortest wait that at least 99 of 100 jobs do not exceed."),
    Term(
        "Daily demand",
        "Node-hours that a user's jobs could use in a day if all of them started at once. A backlog counts "
        "again every day.",
        f"{_VASUPONGAYYA}, section V-B",
    ),
    Term(
        "Deviation",
        "Node-hours used less those entitled over a time, dev; above 0 is over-shared, below under-shared.",
        f"{_VASUPONGAYYA}, section III-C",
    ),
    Term("Over-shared", "Who has used over 50 node-hours more than entitled.", f"{_VASUPONGAYYA}, Table V"),
    Term("Under-shared", "Who has used over 50 node-hours less than entitled.", f"{_VASUPONGAYYA}, Table V"),
    Term(
        "Benefit, suffer",
        "A user's longest wait is shorter, or longer, than under another policy; considerably, by over "
        "10 hours.",
        f"{_VASUPONGAYYA}, section V-C",
    ),
    Term(
        "Type S1",
        "User who suffers from a mixture of jobs: as small ones start, the large one behind them loses its "
        "place in the order, and its reservation.",
        f"{_VASUPONGAYYA}, section V",
    ),
    Term("Type S2", "User who suffers from a heavy daily demand.", f"{_VASUPONGAYYA}, section V"),
    Term(
        "Front",
        "Settings of a search that no other one beats in every goal (Pareto front), and of those that meet "
        "all bounds the ones that none of these beats.",
    ),
    Term("Point", "A setting on the front of a search, by its number."),
    Term("Held out", "Of months that had no part in the choice of a setting, so that they can test it."),
    Term("Tie", "A difference from the best that the months do not decide: chance may have made it."),
    Term(
        "Share miss",
        "Points by which a group misses its part of what is used in the worst stretch of days: what it asked "
        "for and did not get, or got beyond its part while others waited.",
    ),
    Term(
        "Wait growth",
        "The largest ratio of a user's 95th percentile of waits to that under the baseline.",
    ),
)
_SLURM = (
    Term(
        "Fairshare",
        "Slurm's factor from 0 to 1 of who has used how much beside his shares; classic, it halves whenever "
        "effective usage grows by the dampening factor times the normalised shares.",
        f"{_YALIM}, section 1",
    ),
    Term(
        "Dampening factor",
        "d, by which classic fairshare falls more slowly with usage.",
        f"{_YALIM}, section 2.2",
    ),
    Term(
        "Target hours",
        "u*, core-hours that halve a user's classic fairshare: the dampening factor times the mean usage.",
        f"{_YALIM}, equation 7",
    ),
    Term(
        "Association",
        "An account of a Slurm cluster, or a user in an account, with its shares and limits.",
        "Slurm, sacctmgr(1)",
    ),
    Term(
        "Partition",
        "A set of nodes with rules of its own, to which jobs are submitted.",
        "Slurm, slurm.conf(5)",
    ),
    Term(
        "NormShares",
        "An association's part of the cluster by shares; under Fair Tree its part of the level.",
        "Slurm, sshare(1)",
    ),
    Term(
        "NormUsage",
        "An association's part of the cluster's raw usage; not the normalised usage of a share policy.",
        "Slurm, sshare(1)",
    ),
    Term(
        "EffectvUsage",
        "Usage that is held against the shares: own usage, and classic a part of what else the account used.",
        "Slurm, sshare(1)",
    ),
    Term("Raw usage", "Billing-seconds that Slurm keeps of an association, halved every half-life."),
    Term(
        "LevelFS",
        "Fair Tree's figure of an association among its siblings: shares over usage, each as part of the "
        "level; the higher one goes first.",
        "Slurm, sshare(1)",
    ),
    Term(
        "Fair Tree", "Slurm's other rule: fairshare is the rank of a user in the tree, sorted level by level."
    ),
)
_EXPERIMENTS = (
    Term("Claim", "A statement of a paper, or of ours, that an experiment checks within a tolerance."),
    Term(
        "Verdict",
        "What came of a claim: it holds, fails or is not decided; inputs and discrepancies have none.",
    ),
    Term(
        "Not decided",
        "Verdict on a claim that something is so in most cases: it is in more than half of them, but a fair "
        "coin gives as many with a probability p of 0.05 or more (exact one-sided sign test). With half of "
        "the cases or fewer the claim fails.",
    ),
    Term(
        "Input",
        "Row of an experiment that repeats what the run was given. It cannot fail, and does not count as a "
        "claim.",
    ),
    Term(
        "Discrepancy",
        "Row of an experiment where what a paper says contradicts what follows from its own equations or "
        "numbers. It does not count as a claim.",
    ),
    Term(
        "Fitted",
        "Said of a model whose parameters were chosen so that values of a paper come out. That they come out "
        "confirms nothing.",
    ),
    Term(
        "Origin of an expected value",
        "Paper: the paper prints it. Fitted: the paper prints it and the model was fitted to it. Ours: the "
        "paper does not have it. In figures a square is the paper's value and a diamond is not.",
    ),
)
GLOSSARY: dict[str, tuple[Term, ...]] = {
    "Shares": _SHARES,
    "Use of the machine": _USE,
    "Processes": _KERNEL,
    "Policies": _POLICIES,
    "Memory and jobs": _NIGHTS,
    "Parallel jobs": _PARALLEL,
    "Experiments": _EXPERIMENTS,
    "Slurm": _SLURM,
}
TERMS = tuple(term for terms in GLOSSARY.values() for term in terms)
