"""Pictures of the console for its README: every workspace, both themes, two sizes.

python -m fsconsole.console.screenshots --out DIR
"""

from __future__ import annotations

import argparse
import shutil
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from PySide6.QtCore import QEvent, QPointF

from fsconsole.console.analyse.workspace import AnalyseWorkspace
from fsconsole.console.cluster.change_panel import ChangeSetPanel
from fsconsole.console.cluster.change_set_worker import STAGING
from fsconsole.console.cluster.session import CLUSTER
from fsconsole.console.live.workspace import LiveWorkspace
from fsconsole.console.moving_scenes import border_right_of, send_mouse
from fsconsole.console.operate.jobs.near_dedicated_view import NearView
from fsconsole.console.operate.jobs.priority_view import FactorBar
from fsconsole.console.operate.jobs.workspace import JobsWorkspace
from fsconsole.console.operate.nights.workspace import NightsWorkspace
from fsconsole.console.stage import Stage
from fsconsole.console.style.theme import ThemeMode
from fsconsole.console.welcome.page import WelcomePage
from fsconsole.resources import resource
from fsconsole.shares.edits import SetShares
from fsconsole.targets.slurm.location import example_capture

SIZES = ((1600, 1000), (1280, 800))
THEMES: tuple[ThemeMode, ...] = ("light", "dark")
_OBSERVED_S = 970.0
_CURSOR_S = 610.0
_COMMANDS = ("rates -u", "pl u21")
_NIGHT_S = 3310.0
_OPERATOR = "hale"
_EXPERIMENT = "junglas-6"
_STUDY = "kth-windows.yaml"
_DRAGGED = "Army"
_RAISED = "ocean"
_WAITING_JOB = 32
_DRAG_PART_OF_WIDTH = -0.13


def main(arguments: list[str] | None = None) -> int:
    """Make all screenshots; return the exit status."""
    parser = argparse.ArgumentParser(description="Write screenshots of every workspace.")
    parser.add_argument("--out", type=Path, required=True, help="folder for the screenshots")
    out: Path = parser.parse_args(arguments).out
    with TemporaryDirectory() as folder:
        # Results are stored beside the file.
        study = Path(shutil.copy(resource(f"studies/{_STUDY}"), folder))
        for width, height in SIZES:
            with Stage(width, height) as stage:
                scenes = (_welcome, _design, _observe, _operate, _kill, _analyse, partial(_study, study))
                for show in (*scenes, _slurm_design, _slurm_operate):
                    name = show(stage)
                    for mode in THEMES:
                        stage.set_theme(mode)
                        size = "" if (width, height) == SIZES[0] else f"-{width}x{height}"
                        print(stage.keep_picture(out / f"{name}-{mode}{size}.png"))  # noqa: T201
                    stage.press_escape()
    return 0


def _welcome(stage: Stage) -> str:
    page = stage.window.findChild(WelcomePage)
    stage.wait_for(lambda: page is None or page.is_complete)
    return "welcome"


def _design(stage: Stage) -> str:
    """Drag a border in the share map, and return what is shown."""
    stage.open_example("navoceano-c916.yaml")
    share_map, border = border_right_of(stage, _DRAGGED)
    start = QPointF(border.x, border.left.y + border.left.h / 2)
    for kind, at in (
        (QEvent.Type.MouseButtonPress, start),
        (QEvent.Type.MouseMove, start + QPointF(_DRAG_PART_OF_WIDTH * border.left.w / 2, 0)),
        (QEvent.Type.MouseMove, start + QPointF(_DRAG_PART_OF_WIDTH * border.left.w, 0)),
    ):
        send_mouse(share_map, kind, at)
    return "design"


def _observe(stage: Stage) -> str:
    stage.open_example("convex-series-6.yaml")
    stage.window.show_workspace("observe")
    stage.advance_to(_OBSERVED_S)
    stage.session.set_cursor(_CURSOR_S)
    workspace = stage.window.current
    if isinstance(workspace, LiveWorkspace):
        for line in _COMMANDS:
            workspace.machine.console.run(line)
        stage.wait_for(lambda: not stage.session.line.is_waiting)
    return "observe"


def _operate(stage: Stage) -> str:
    """Return a near-dedicated night at a quarter to midnight, armed."""
    stage.open_example("near-dedicated-ymp.yaml")
    stage.window.show_workspace("operate")
    stage.advance_to(_NIGHT_S)
    workspace = stage.window.current
    if isinstance(workspace, NightsWorkspace):
        workspace.controller.arming.choices.who = _OPERATOR
        workspace.verbs.toggle_armed()
        workspace.note.put_away()  # Hide notices about settings and files of this computer.
    return "operate"


def _kill(stage: Stage) -> str:
    """Return the confirmation of killing a job."""
    workspace = stage.window.current
    if isinstance(workspace, NightsWorkspace):
        workspace.verbs.kill()
    return "operate-kill"


def _analyse(stage: Stage) -> str:
    stage.window.show_workspace("analyse")
    workspace = stage.window.current
    if isinstance(workspace, AnalyseWorkspace):
        workspace.experiment_controller.select(_EXPERIMENT)
        workspace.experiment_controller.run_current()
        stage.wait_for(lambda: _EXPERIMENT in workspace.experiment_controller.results)
    return "analyse"


def _study(path: Path, stage: Stage) -> str:
    """Return the fair-share windows of the bundled trace; run once, then read."""
    stage.window.files.open(path)
    workspace = stage.window.workspace("analyse")
    if isinstance(workspace, AnalyseWorkspace):
        study_controller = workspace.study_controller
        stage.wait_for(lambda: study_controller.study is not None)
        study_controller.run()
        stage.wait_for(lambda: not study_controller.is_running)
    return "analyse-study"


def _slurm_design(stage: Stage) -> str:
    """Change a share of the example cluster, send nothing, and return what is shown."""
    stage.window.files.open(example_capture())
    stage.wait_for(
        lambda: (one := stage.session.offer(CLUSTER)) is not None and one.state.standing is not None
    )
    stage.window.show_workspace("design")
    staging, document = stage.session.offer(STAGING), stage.session.document
    if document is None or staging is None:
        raise RuntimeError("no cluster is open")
    node = next(node for node in document.tree.walk() if node.name == _RAISED)
    document.edit("Set shares", [SetShares.of(node.id, 2 * node.shares)])
    stage.session.select([node.id])
    stage.wait_for(lambda: bool(staging.staged.gains) and not staging.is_working)
    panel = stage.window.findChild(ChangeSetPanel)
    if panel is not None:
        stage.settle()
        commands = panel.table.horizontalScrollBar()
        commands.setValue(commands.maximum())
    return "slurm-design"


def _slurm_operate(stage: Stage) -> str:
    """Show pending jobs of the example cluster, why one waits, and the displacements of its near-dedicated
    class, unstaged.
    """
    stage.window.show_workspace("operate")
    cluster, staging = stage.session.offer(CLUSTER), stage.session.offer(STAGING)
    if cluster is None or staging is None:
        raise RuntimeError("no cluster is open")
    staging.revert_all()
    stage.wait_for(lambda: bool(cluster.state.jobs))
    view = stage.window.findChild(NearView)
    stage.wait_for(lambda: view is not None and bool(view.rules.text()))
    workspace = stage.window.current
    if isinstance(workspace, JobsWorkspace):
        workspace.jobs.box.setText("state:pending")
        workspace.jobs.table.select([_WAITING_JOB])
        stage.wait_for(lambda: any(one.part for one in stage.window.findChildren(FactorBar)))
    stage.settle()
    return "slurm-operate"


if __name__ == "__main__":
    raise SystemExit(main())
