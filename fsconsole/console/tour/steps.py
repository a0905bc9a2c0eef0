"""What the tours show. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass

from fsconsole.shares.edits import Edit, SetShares


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a tour. The console carries out the fields in their order; empty fields do nothing.

    Attributes:
        title: what the step is about.
        text: what is to be seen, and what the user can do with it.
        example: the example that is opened.
        study: the example study that is opened.
        workspace: the workspace that is shown.
        node: the node that is selected, by name.
        shares: the shares that the node gets.
        experiment: the experiment that is selected.
        actions: the actions that are carried out, by id; the step lasts until what they began has ended.
        on, off: the action that is switched on, or off, by id; it stays where it is so already.
        until_s: the simulated time that the machine runs to.
        page: the page of a study that is shown.
        dock: the dock that is brought forward and framed, by the name that it is saved by.
    """

    title: str
    text: str
    example: str = ""
    study: str = ""
    workspace: str = ""
    node: str = ""
    shares: int = 0
    experiment: str = ""
    actions: tuple[str, ...] = ()
    on: str = ""
    off: str = ""
    until_s: float = 0.0
    page: str = ""
    dock: str = ""

    def edits(self, node: int) -> tuple[Edit, ...]:
        """Return the edit that gives a node its shares; none where the step changes none."""
        return (SetShares(((node, self.shares),)),) if self.shares else ()


@dataclass(frozen=True, slots=True)
class Tour:
    """The tour of a role.

    Attributes:
        id: how the action that starts it is called.
        role: who it is for.
        about: what it shows, in a line.
    """

    id: str
    role: str
    about: str
    steps: tuple[Step, ...]

    @property
    def example(self) -> str:
        """The example that it is about."""
        return self.steps[0].example

    @property
    def workspace(self) -> str:
        """The workspace that it is about."""
        return self.steps[0].workspace

    @property
    def study(self) -> str:
        """Study that the tour opens; empty for none."""
        return next((step.study for step in self.steps if step.study), "")


_ADMIN = Tour(
    "admin", "Admin", "Design a share tree and see what a change does",
    (
        Step(
            "Open a share tree",
            "Each row is a group or a user. Shares are weights among siblings: A and B have 50 "
                "each, so each is allocated half of the machine.",
            example="two-organisations", workspace="design", dock="design_tree",
        ),
        Step(
            "Read the share map",
            "The map draws the allocated share of each user: u3 has half of B, a quarter of the "
                "machine. Click an area to select it, drag a border to change shares.",
            node="u3", dock="design_map",
        ),
        Step(
            "Change shares",
            "B now has 150 shares and A has 50, so B gets three quarters of the machine. Type a "
                "number into the table, or 75% for a fraction. Nothing is saved yet.",
            node="B", shares=150, dock="design_tree",
        ),
        Step(
            "Try demands",
            "What if divides the machine among the users who request it, also when some are idle, "
                "and by the rules of other schedulers. Type demands to see who gains.",
            actions=("show_what_if",), dock="design_what_if",
        ),
        Step(
            "Check the tree",
            "Problems lists what is wrong or unusual in the tree, with its place. Double-click a "
                "problem to go there.",
            dock="design_problems",
        ),
        Step(
            "Review the changes",
            "Changes compares the tree with the saved file. On a real Slurm cluster it lists the "
                "commands that Apply would run.",
            dock="design_changes",
        ),
        Step(
            "Undo the change",
            "Undo reverts a change (Ctrl+Z), Save keeps the changes (Ctrl+S). To begin with your "
                "own cluster, choose Target > Connect to Slurm. It is read-only at first.",
            actions=("undo",), dock="design_tree",
        ),
    ),
)  # fmt: skip
_OPERATOR = Tour(
    "operator", "Operator", "Watch a near-dedicated night and act on it",
    (
        Step(
            "Open a night",
            "A near-dedicated job gets the machine alone, from 23:00 to 07:30. The line shows the "
                "window and its jobs. The simulated machine is the paper's Y-MP.",
            example="near-dedicated-ymp", workspace="operate", dock="operate.window",
        ),
        Step(
            "Run the clock",
            "The machine has run to 23:30. Space runs and pauses it, [ and ] change the speed. The "
                "first job has waited for memory and SDS, and now runs.",
            until_s=2400.0, dock="operate.window",
        ),
        Step(
            "Watch the job",
            "The card shows the progress of the job, its efficiency beside the required one, and "
                "the time at which the watchdog kills it.",
            dock="operate.job",
        ),
        Step(
            "Read the queue",
            "Jobs wait in this order. A job that does not fit before the window ends is marked, with "
            "the reason.",
            dock="operate.queue",
        ),
        Step(
            "Arm before you act",
            "Nothing can be killed or extended by accident: the console is armed now, for ten minutes. "
            "Extend and "
            "Kill ask before they act, and show what is lost.",
            on="operate.arm", dock="operate.job",
        ),
        Step(
            "See the swapped memory",
            "Memory and SDS shows what was swapped out to make room for the job, and what is "
                "swapped in after it.",
            dock="operate.memory",
        ),
        Step(
            "Read the report",
            "The report of the night lists jobs and use as the paper's Figure 3 does. The console is "
            "disarmed "
            "again. File > Export record writes it as PDF.",
            off="operate.arm", actions=("operate.report",), dock="operate.records",
        ),
    ),
)  # fmt: skip
_ANALYST = Tour(
    "analyst", "Analyst", "Check a paper's claims and compare policies on a trace",
    (
        Step(
            "Find an experiment",
            "Each experiment asks a question and compares its answer with the paper's. They are "
                "listed by paper or by question.",
            example="convex-series-1", experiment="junglas-1", workspace="analyse", dock="experiments",
        ),
        Step(
            "Run it",
            "The program simulates the experiment with the settings of the paper. Figures appear "
                "in the middle.",
            actions=("analyse.run",), dock="experiments",
        ),
        Step(
            "Read the claims",
            "A claim compares a number of the paper with the number measured here: it holds, or it "
            "fails and the reason "
            "is below.",
            dock="claims",
        ),
        Step(
            "Open a study",
            "A study runs policies on workloads: here FCFS, RelShare and others on a month of a real trace.",
            study="kth-october", dock="sweep",
        ),
        Step(
            "Run the study",
            "Each cell is one policy on one workload. Results are kept beside the file, so the "
                "next run computes only missing cells.",
            actions=("study.run",), page="overview",
        ),
        Step(
            "Compare the users",
            "Users shows who gains, who loses, and whether it is significant. A selected user is "
                "marked on all pages.",
            page="users",
        ),
        Step(
            "Export the results",
            "File > Export figure writes figures, data and a script; File > Export report writes "
            "findings, tables "
            "and the commands to redo them as PDF or HTML.",
            page="tables",
        ),
    ),
)  # fmt: skip
TOURS = (_ADMIN, _OPERATOR, _ANALYST)
