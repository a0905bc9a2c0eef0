"""Write the pages of `docs/reference/` from the code: `python -m tools.reference.write`.

Tests compare each page with what is written here, so that a page that is not current fails.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

from fsconsole.console.actions import Action
from fsconsole.console.stage import Stage
from fsconsole.console.window import ConsoleWindow
from fsconsole.experiments.registry import experiment_named
from fsconsole.figures.export import export_figure
from tools.reference import claims, commands, schemas, settings, tables
from tools.reference.study_figures import study_figures

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "reference"
PAGES: dict[str, Callable[[], str]] = {
    "commands.md": commands.commands_page,
    "scenario-file.md": schemas.scenario_page,
    "study-file.md": schemas.study_page,
    "search-file.md": schemas.search_page,
    "settings.md": settings.settings_page,
    "formats.md": tables.formats_page,
    "shell.md": tables.shell_page,
    "doctor-rules.md": tables.doctor_page,
    "glossary.md": tables.glossary_page,
}
# The explanations show these figures, each of an experiment by its name.
FIGURES = {
    "share-login": ("junglas-6", "plot-9-cpu-rate"),
    "unicos-feedback": ("unicos-fig-2-3", "feedback-cpu-rate"),
    "slurm-forecast": ("yalim-fig-3", "fairshare-over-time"),
    "process-fair": ("unicos-process-fair", "process-fair-cpu-rate"),
    "process-share": ("unicos-process-fair", "share-cpu-rate"),
    "nd-utilisation": ("near-dedicated-utilisation", "utilisation"),
    "hard-sleep": ("memory-hard-sleep", "memory"),
    "relshare-windows": ("relshare-windows", "max_wait_h-over-windows"),
    "relshare-months": ("relshare-findings", "fig-1c-max_wait_h"),
}
FIGURE_FOLDER = FOLDER.parent / "explanation" / "figures"
KEYS, CLAIMS = "keys.md", "claims.md"


def actions_of(window: ConsoleWindow) -> Iterable[Action]:
    """Return all actions of a window whose workspaces have been made."""
    for name in ("design", "observe", "operate", "analyse"):
        window.workspace(name)
    return list(window.table)


def main() -> int:
    """Write all pages and figures; the experiments are run for it."""
    FOLDER.mkdir(exist_ok=True)
    FIGURE_FOLDER.mkdir(exist_ok=True)
    with Stage(1280, 800) as stage:
        texts = {KEYS: tables.keys_page(actions_of(stage.window))}
    texts |= {name: make() for name, make in PAGES.items()}
    result_of = cache(lambda name: experiment_named(name).run())
    texts[CLAIMS] = claims.claims_page(result_of)
    drawn = {
        name: next(one for one in result_of(experiment).figures if one.name == figure)
        for name, (experiment, figure) in FIGURES.items()
    }
    for name, spec in (drawn | study_figures()).items():
        export_figure(spec, FIGURE_FOLDER / f"{name}.svg", "svg")
    for name, text in texts.items():
        (FOLDER / name).write_text(text, "utf-8")
    print(f"Wrote {len(texts)} pages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
