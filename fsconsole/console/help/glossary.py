"""The terms of the field, one meaning each; column headers and parameters are called by them. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass

_JUNGLAS = "Junglas 1991"
_EVERITT = "Everitt, Jones and Knesel"
_BRADY = "Brady et al."
_YALIM = "Yalim 2020"


@dataclass(frozen=True, slots=True)
class Term:
    """A word of the console.

    Args:
        name: the word.
        meaning: in a sentence or a phrase that ends with a full stop.
        source: paper and section, or the manual page of Slurm; empty where the word is ours.
        elsewhere: what Slurm, the papers or German texts call it; empty where they use the same word.
    """

    name: str
    meaning: str
    source: str = ""
    elsewhere: str = ""

    def holds(self, typed: str) -> bool:
        """Return True if the term contains the searched text, ignoring case."""
        return typed.strip().casefold() in f"{self.name} {self.meaning} {self.elsewhere}".casefold()


_SHARES = (
    Term(
        "Shares",
        "Whole-number weight of a node among its siblings. Only ratios matter.",
        elsewhere="Slurm: RawShares. Junglas: intended Share. German: Anteil",
    ),
    Term(
        "Share of group",
        "Shares of a node divided by the shares of all siblings, logged in or not.",
        elsewhere="Slurm: NormShares under Fair Tree. German: Gruppenanteil",
    ),
    Term(
        "Share of machine",
        "Share of group multiplied by that of all groups above: the fraction of the machine for a "
        "node while all users are active, those of system groups among them.",
        f"{_JUNGLAS}, section 4",
        "Slurm: NormShares of classic fairshare. Junglas: machine share, Maschinen-Share. German: "
        "Maschinenanteil",
    ),
    Term(
        "Allocated share",
        "Share of machine among active siblings only, 0 for an inactive node. The share of an "
        "inactive user goes to the others of the group first. It follows groups even where the "
        "policy ignores them. Where system groups are left out, 100 % is the machine without them, and "
        "the title or a line below the table gives that.",
        f"{_JUNGLAS}, section 6",
        "German: zugeteilter Anteil",
    ),
    Term(
        "Share of cluster",
        "Share of account multiplied by that of all accounts above: NormShares of classic fairshare. "
        "Users with Fairshare=parent count as the mean of their siblings (ours), which NormShares leave out.",
        elsewhere="Slurm: NormShares. Here: share of machine",
    ),
    Term(
        "Effective share",
        "Fraction of the CPU that the policy aims at now, computed from past usage.",
        f"{_JUNGLAS}, section 6",
        "German: effektiver Anteil",
    ),
    Term(
        "Active",
        "Logged in, or with a process. A group is active while a user or account below it is.",
        elsewhere="Junglas: aktiver User",
    ),
    Term(
        "Entitled",
        "Fraction of the machine for a node by shares and demands, with surplus handed on.",
        elsewhere="German: Anspruch",
    ),
    Term(
        "Demand",
        "Largest share of the machine that a user can use. A saturated user can use all of it.",
        elsewhere="German: Bedarf",
    ),
    Term("Share quantum", "Lower limit of the share of machine of an active user.", elsewhere="sharemin"),
    Term(
        "Group",
        "Inner node of a share tree.",
        elsewhere="Slurm: account. German: Gruppe",
    ),
    Term(
        "Project account",
        "Leaf of a share tree that several users charge. Every other leaf is a user.",
        elsewhere="Not an account of Slurm, which is an inner node",
    ),
    Term("Tree node", "Group, user or project account of a share tree.", elsewhere="Slurm: association"),
)
_USE = (
    Term(
        "Cost",
        "Sum of CPU ticks, device requests, system calls and memory since the last delta, each at its price.",
        f"{_JUNGLAS}, section 3",
        "Slurm: billing (TRESBillingWeights). German: Kosten",
    ),
    Term(
        "Usage",
        "Sum of past cost. It halves every half-life.",
        f"{_JUNGLAS}, section 3",
        "Slurm: RawUsage. German: Nutzung",
    ),
    Term(
        "Half-life",
        "Time in which usage without new cost falls to half.",
        elsewhere="Slurm: PriorityDecayHalfLife. German: Halbwertszeit",
    ),
    Term(
        "Normalised usage",
        "Usage divided by allocated share. Share makes it equal for all users who can use their shares.",
        f"{_JUNGLAS}, section 6",
        "Not Slurm's NormUsage. German: normierte Nutzung",
    ),
    Term(
        "Charge",
        "All cost since the start, in CPU seconds at the normal price. It never decays.",
        elsewhere="Slurm: the sum that sreport lists. German: Abrechnung",
    ),
    Term(
        "CPU rate",
        "Share of the machine's CPU time over the last seconds, the rate window.",
        elsewhere="Junglas: momentaner CPU-Anteil",
    ),
    Term("Rate window", "Time over which a CPU rate is averaged."),
    Term("CPU time", "Seconds of CPU used since the start, at any price."),
)
_KERNEL = (
    Term("Tick", "Time between two choices of the running process, t3.", f"{_JUNGLAS}, section 3"),
    Term("Delta", "Time between two updates of usage from cost, t1.", f"{_JUNGLAS}, section 3"),
    Term(
        "Priority",
        "Number of a process. The lowest number runs. Each tick of a running process adds the "
        "increment, and each second subtracts a fraction.",
        f"{_JUNGLAS}, section 3",
        "In Slurm the highest priority starts first. German: Prozesspriorität",
    ),
    Term(
        "Increment",
        "Priority points that a process gets for each tick of CPU. Shares act through it.",
    ),
    Term(
        "Usage / share²",
        "Usage divided by the square of the share. Multiplied by the number of processes it is the "
        "increment.",
        elsewhere="kusage",
    ),
    Term(
        "Nice",
        "Value from 0 to 39 of a process; 20 is normal. With a higher value the priority number "
        "falls more slowly.",
    ),
    Term(
        "L-node",
        "Record of the kernel for a user, from the first login until the sharer removes it.",
        f"{_JUNGLAS}, section 5",
        "Junglas: L-Node",
    ),
    Term(
        "Sharer",
        "Daemon that removes the l-nodes of users who have logged out.",
        f"{_JUNGLAS}, section 5",
        "Junglas: Sharer-Dämon",
    ),
)
_POLICIES = (
    Term(
        "Share, hierarchical",
        "Policy whose increments are proportional to usage divided by the square of the allocated share.",
        f"{_JUNGLAS}, sections 3 and 4",
        "Junglas: hierarchischer Share",
    ),
    Term(
        "Share, flat",
        "Share with the shares of leaves only. Groups are ignored.",
        f"{_EVERITT}, equation 2",
    ),
    Term(
        "Hierarchical feedback",
        "Policy in which each group corrects the shares of its children by their usage.",
        f"{_EVERITT}, section 2.2.2",
    ),
    Term(
        "Fixed priorities",
        "Policy with increment 1 / share, whatever the usage.",
        _BRADY,
        "FIXEDPRI",
    ),
    Term(
        "Process-fair",
        "Policy that treats all processes alike, whatever the shares.",
        f"{_EVERITT}, section 2.1.1",
        "NOSCHED",
    ),
    Term("ADJGROUPS", "Group adjustment: users of a group above its share pay more for each tick."),
    Term("LIMSHARE", "Limit of effective shares: maxushare times the allocated share."),
    Term(
        "Fair line",
        "Points at which the usages of two siblings are in the ratio of their shares. Feedback "
        "steers towards it.",
        _EVERITT,
    ),
)
_NIGHTS = (
    Term(
        "SDS",
        "Secondary data segment: memory behind the main memory, requested by a job as a whole.",
        _BRADY,
    ),
    Term("MW", "Megawords: 2^20 words. A click is 512 words."),
    Term(
        "Near-dedicated",
        "Mode in which one big job at a time gets the resources it needs, and other jobs share the rest.",
        f"{_BRADY}, section 3.2",
        "On Slurm: a class of partitions or QOS that preempts the others",
    ),
    Term("Near-dedicated window", "Hours of the week in which near-dedicated jobs may run."),
    Term("Estimate", "Expected wall time of a job, computed from its CPU time request and its CPUs."),
    Term(
        "Watchdog",
        "Clock that kills a near-dedicated job at a set time. Extending a job moves that time.",
        _BRADY,
        "Slurm: time limit",
    ),
    Term("URM", "Unified resource manager: recommends to NQS the next job to start.", _BRADY),
    Term(
        "Barrier",
        "Point where the tasks of a job wait for each other, as they do while one waits for a device.",
        f"{_EVERITT}, section 3.2.2",
    ),
    Term(
        "Preferred size",
        "Range of job sizes, in memory, that URM admits first. Others wait longer.",
        f"{_EVERITT}, section 1.5, without a formula",
    ),
)
_CONSOLE = (
    Term(
        "Operator",
        "User of the console. The audit log names the operator of each action.",
    ),
    Term(
        "Arm",
        "Allow the console to act on a machine or a cluster, for some minutes. Otherwise it is read-only.",
        elsewhere="German: scharf schalten",
    ),
    Term("Read-only", "State of a console that is not armed: it queries but changes nothing."),
    Term(
        "Stage",
        "Collect an edit for a cluster without applying it. Staged edits are shown as commands "
        "before they run.",
    ),
    Term(
        "Change set",
        "All staged edits of a cluster, in the order of their commands.",
        elsewhere="Slurm: one sacctmgr command for each change",
    ),
    Term("Apply", "Run the commands of a change set and read the result back."),
    Term("Revert", "Discard staged edits: the tree equals the cluster again."),
    Term("Roll back", "Bring back what was before a record, where the cluster still has what was set."),
    Term("Audit log", "File that records each action with time, operator, reason and result."),
    Term("Target", "Machine or cluster that the console shows and acts on."),
    Term(
        "Capture folder",
        "Folder with the output of Slurm's commands at one time, as slurm capture writes it. It opens as a "
        "read-only cluster.",
    ),
    Term("Sshare file", "File with the output of sshare -l -a -P. A forecast can start from it."),
    Term(
        "Run folder", "Folder with the samples, events and checkpoints of one simulated run. It ends in .run."
    ),
    Term("Branch", "Copy of a run that starts at an instant of it with changes, beside the run."),
    Term("Diary", "Readings of a cluster over time, kept in a folder that opens as a run."),
    Term(
        "Kill",
        "End a process or a job before its end. Cancel leaves a dialog or stops a calculation.",
        elsewhere="Slurm: scancel. NQS: qdel",
    ),
)
_VASUPONGAYYA = "Vasupongayya"
_EASY = "EASY backfilling"
_PARALLEL = (
    Term(
        "Cluster node",
        "Computer that a job of a parallel workload has to itself. In a trace it is one processor.",
        elsewhere="Slurm: node",
    ),
    Term(
        "Waiting",
        "Submitted but not started, in a simulated schedule.",
        elsewhere="Slurm: pending, PD. German: wartend",
    ),
    Term(
        "Scheduling pass",
        "Moment after jobs are submitted or end, in which the policy chooses the waiting jobs to start.",
        elsewhere="Slurm: a cycle of the main or the backfill scheduler",
    ),
    Term(
        "Scheduler reservation",
        "Earliest time at which a waiting job can start, kept free for it. Each pass gives it to "
        "the first job in order that does not fit.",
        f"{_VASUPONGAYYA}, section III-B",
        "Papers: reservation. Slurm: expected start (squeue --start)",
    ),
    Term(
        "Backfilling",
        "Start of a later job before an earlier one that does not fit, where that delays no reservation.",
        f"{_VASUPONGAYYA}, section III-B",
        "Slurm: sched/backfill. German: Rückfüllen",
    ),
    Term(
        "Conservative backfilling",
        "Backfilling in which each waiting job has a reservation from its arrival, and no later "
        "job delays it.",
        "Mu'alem and Feitelson, section 2.2",
    ),
    Term(
        "Slurm multifactor",
        "Policy that starts the job with the highest priority of priority/multifactor first: points for age, "
        "fairshare, size, partition and QOS. By default it computes usage and priorities every 5 min.",
        "Slurm 22.05",
    ),
    Term(
        "Weighted usage",
        "Policy that starts jobs of the user with the highest ratio of shares to usage first. Usage is a "
        "weighted sum of node-hours used, node-hours of running jobs so far, and nodes in use or "
        "reserved plus 1.",
        f"{_VASUPONGAYYA}, section II-B",
        "LSF: dynamic priority",
    ),
    Term("SJF-backfill", "Shortest job first: backfilling in the order of runtimes."),
    Term(
        "Shadow time",
        "Planned start of the job with the reservation. Backfilled jobs end by then, or use only "
        "the extra nodes.",
        _EASY,
    ),
    Term("Extra nodes", "Nodes left free beside a reserved job at its planned start.", _EASY),
    Term(
        "Fair-share window",
        "Time over which usage and entitlement of users are summed. Each new window starts from 0.",
        f"{_VASUPONGAYYA}, section II-B",
        "Slurm: PriorityUsageResetPeriod. German: Fair-Share-Fenster",
    ),
    Term(
        "Entitled nodes",
        "Nodes by shares among users with running or waiting jobs, at most as many as these jobs "
        "need. Nodes that are left are shared in the same way.",
        f"{_VASUPONGAYYA}, section III-C",
    ),
    Term(
        "Entitled share",
        "Sum of entitled nodes over a time, in node-hours.",
        f"{_VASUPONGAYYA}, section III-C",
    ),
    Term(
        "Expected usage",
        "Usage of running and reserved jobs in the rest of the window, counted in advance.",
        f"{_VASUPONGAYYA}, section III-B",
    ),
    Term(
        "Carried reservation",
        "Reservation of the last pass, counted as expected usage until the next pass replaces it.",
    ),
    Term(
        "Slowdown",
        "Wait plus runtime, divided by runtime. LXF-backfill starts the job with the largest slowdown first.",
    ),
    Term(
        "Bounded slowdown",
        "Wait plus runtime, divided by runtime or by a minute, whichever is longer.",
        f"{_VASUPONGAYYA}, section IV",
    ),
    Term("99th-percentile wait", "Shortest wait that at least 99 of 100 jobs do not exceed."),
    Term(
        "Daily demand",
        "Node-hours that a user's jobs could use in a day if all of them started at once. A "
        "backlog counts again each day.",
        f"{_VASUPONGAYYA}, section V-B",
    ),
    Term(
        "Deviation",
        "Node-hours used minus node-hours entitled: above 0 is over-shared, below 0 under-shared.",
        f"{_VASUPONGAYYA}, section III-C",
        "Paper: dev",
    ),
    Term("Over-shared", "User with over 50 node-hours more than entitled.", f"{_VASUPONGAYYA}, Table V"),
    Term("Under-shared", "User with over 50 node-hours less than entitled.", f"{_VASUPONGAYYA}, Table V"),
    Term(
        "Benefit, suffer",
        "Benefit: the user's longest wait is shorter than under the other policy. Suffer: longer. "
        "Considerably: by over 10 hours.",
        f"{_VASUPONGAYYA}, section V-C",
    ),
    Term(
        "Type S1",
        "User who suffers from a mixture of jobs: as the small ones start, the large one loses its "
        "position and its reservation.",
        f"{_VASUPONGAYYA}, section V",
    ),
    Term("Type S2", "User who suffers from a heavy daily demand.", f"{_VASUPONGAYYA}, section V"),
    Term(
        "Study",
        "Comparison of policies on workloads, with fair-share windows and seeds. A study file describes it.",
        elsewhere="Papers: experiment. German: Studie",
    ),
    Term("Cell", "Unit of a study: one policy on one workload with one window and one seed."),
    Term(
        "Front",
        "Settings of a search that no other setting beats in every goal (Pareto front). If "
        "some settings meet all bounds, only these are compared.",
    ),
    Term("Point", "Setting on the front of a search, by its number."),
    Term("Held out", "Months without influence on the choice of a setting, used to test it."),
    Term("Tie", "Difference from the best setting that the months do not decide: chance can explain it."),
    Term(
        "Share miss",
        "Largest difference in points between a group's share of the used time and its target, over a "
        "stretch of days. Time that the group requested but did not get counts. Time above its share "
        "counts while others waited.",
    ),
    Term(
        "Wait growth",
        "Largest ratio of a user's 95th percentile of waits to that under the baseline.",
    ),
)
_SLURM = (
    Term(
        "Fairshare",
        "Slurm's priority factor from 0 to 1 that compares usage with shares. Classic fairshare "
        "halves whenever effective usage grows by the dampening factor times the normalised shares.",
        f"{_YALIM}, section 1",
        "Slurm: FairShare in sshare",
    ),
    Term(
        "Dampening factor",
        "Factor d. With a higher one, classic fairshare falls more slowly with usage.",
        f"{_YALIM}, section 2.2",
        "Slurm: FairShareDampeningFactor",
    ),
    Term(
        "Target hours",
        "Core-hours u* that halve a user's classic fairshare: the dampening factor times the mean usage.",
        f"{_YALIM}, equation 7",
    ),
    Term(
        "Account",
        "Inner node of a Slurm share tree, charged by its users.",
        "Slurm, sacctmgr(1)",
        "Here: group",
    ),
    Term(
        "Association",
        "Account of a Slurm cluster, or a user in an account, with its shares and limits.",
        "Slurm, sacctmgr(1)",
        "Here: tree node",
    ),
    Term(
        "Pending",
        "Submitted to Slurm but not started. Held jobs are counted apart. Each task of an array is a job.",
        "Slurm, squeue(1)",
        "PD. In simulated schedules: waiting",
    ),
    Term(
        "Eligible",
        "Pending, and waiting for its turn alone: not held, and neither for another job nor for a time. "
        "Places in the queue are among eligible jobs.",
        "Slurm, sacct(1)",
    ),
    Term(
        "Preemption",
        "Displacement of running jobs by a job of a higher class: they are suspended, requeued or cancelled.",
        "Slurm, slurm.conf(5)",
        "Brady et al.: suspension for SDS. German: Verdrängung",
    ),
    Term(
        "QOS",
        "Quality of service: class of jobs with limits, a priority and a usage factor.",
        "Slurm, sacctmgr(1)",
    ),
    Term(
        "TRES",
        "Trackable resource: CPUs, memory, nodes, GPUs and others. Limits and billing weights refer to them.",
        "Slurm, tres(5)",
    ),
    Term(
        "Slurm reservation",
        "Nodes kept for some users or accounts over a time.",
        "Slurm, scontrol(1)",
        "Not a scheduler reservation",
    ),
    Term(
        "Partition",
        "Set of nodes with limits and rules, to which jobs are submitted.",
        "Slurm, slurm.conf(5)",
        "NQS: queue",
    ),
    Term(
        "NormShares",
        "Share of cluster of an association, without users with Fairshare=parent beside it. Under Fair Tree, "
        "its share of the level.",
        "Slurm, sshare(1)",
        "Here: share of cluster",
    ),
    Term(
        "NormUsage",
        "Raw usage of an association divided by that of the cluster.",
        "Slurm, sshare(1)",
        "Not the normalised usage of a share policy",
    ),
    Term(
        "EffectvUsage",
        "Usage that Slurm compares with the shares: usage of the association and, in classic "
        "fairshare, a fraction of the account's other usage.",
        "Slurm, sshare(1)",
    ),
    Term(
        "Raw usage",
        "Billing-seconds of an association, halved every half-life.",
        "Slurm, sshare(1)",
        "RawUsage. Here: usage",
    ),
    Term(
        "LevelFS",
        "Fair Tree's value of an association among its siblings: share of the level divided by "
        "usage of the level. The higher value goes first.",
        "Slurm, sshare(1)",
    ),
    Term(
        "Priority weight",
        "Points in the priority of a job for a full factor of 1: its age, its user's fairshare, its size, "
        "its partition or its QOS. Only ratios matter.",
        "Slurm, priority/multifactor",
        "PriorityWeightAge, PriorityWeightFairshare and others",
    ),
    Term(
        "Fair Tree",
        "Slurm's rule in which fairshare is the rank of a user in the tree, sorted level by level.",
        "Slurm, priority/multifactor",
        "The other rule: classic fairshare",
    ),
)
_EXPERIMENTS = (
    Term("Experiment", "Result of a paper, simulated or computed again, with claims that check it."),
    Term(
        "Claim",
        "Statement of a paper, or of ours, that an experiment checks within a tolerance.",
        elsewhere="German: Behauptung",
    ),
    Term(
        "Verdict",
        "Result of a claim: it holds, fails or is not decided. Inputs and discrepancies have none.",
    ),
    Term(
        "Not decided",
        "Verdict on a claim about most cases: more than half of them agree, but chance can explain "
        "it (exact one-sided sign test, p of 0.05 or more). With half of the cases or fewer the "
        "claim fails.",
    ),
    Term(
        "Input",
        "Row of an experiment that repeats a setting of the run. It cannot fail and is not counted "
        "as a claim.",
    ),
    Term(
        "Discrepancy",
        "Row of an experiment where a paper contradicts its own equations or numbers. It is not counted as a "
        "claim.",
    ),
    Term(
        "Fitted",
        "Property of a model whose parameters were chosen to give values of a paper. These values "
        "then confirm nothing.",
    ),
    Term(
        "Origin of an expected value",
        "Paper: the paper prints it. In words: the paper states it without a number. Fitted: the paper "
        "prints it and the model was fitted to it. Law: it follows from an equation, a definition or "
        "entitlements. Ours: it comes from another program or an example. In figures a square is the "
        "paper's value and a diamond is not.",
    ),
    Term(
        "Checked",
        "Grade of a paper's statement: a claim compares it with the paper's own value or words, or with a "
        "law, or a test does. Reproduced by fit: all its claims are fitted. Shown: a command, a figure or a "
        "view has it, and nothing compares it.",
    ),
)
GLOSSARY: dict[str, tuple[Term, ...]] = {
    "Shares": _SHARES,
    "Use of the machine": _USE,
    "Processes": _KERNEL,
    "Policies": _POLICIES,
    "Memory and jobs": _NIGHTS,
    "Console": _CONSOLE,
    "Parallel jobs": _PARALLEL,
    "Experiments": _EXPERIMENTS,
    "Slurm": _SLURM,
}
TERMS = tuple(term for terms in GLOSSARY.values() for term in terms)


def meaning_of(name: str) -> str:
    """Return the meaning of a term without its last full stop, for a tooltip; KeyError for another word."""
    return {term.name: term.meaning for term in TERMS}[name].removesuffix(".")
