"""Export and copy in Analyse: of what is in the middle, or of the forecast."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsconsole.console.actions import Action
from fsconsole.console.analyse.central_tabs import STUDY
from fsconsole.console.figure_view import PX_PER_INCH, copy_figure

if TYPE_CHECKING:
    from fsconsole.console.analyse.workspace import AnalyseWorkspace


class Exporting:
    """Finds whose figure is meant."""

    def __init__(self, workspace: AnalyseWorkspace) -> None:
        self._analyse = workspace

    def has_figure(self) -> bool:
        """Whether there is something to export."""
        analyse = self._analyse
        if analyse.forecasting.is_in_front:
            return analyse.forecasting.has_figure
        if analyse.centre.shown == STUDY:
            return analyse.studying.has_something_to_export
        return analyse.view is not None

    def export(self) -> None:
        """Write the figure or table shown, or its data, to files."""
        analyse = self._analyse
        if analyse.forecasting.is_in_front:
            analyse.forecasting.export()
        elif analyse.centre.shown == STUDY:
            analyse.studying.export()
        else:
            self._export_view()

    def copy(self) -> None:
        """Put the figure shown on the clipboard, as it is on the screen."""
        analyse, view = self._analyse, self._analyse.view
        if analyse.forecasting.is_in_front:
            analyse.forecasting.copy()
        elif analyse.centre.shown == STUDY:
            analyse.studying.copy()
        elif view is not None:
            copy_figure(view.spec, view.style_shown(), 2 * PX_PER_INCH)
            analyse.session.message.emit(f"Copied {view.spec.title}")

    def actions(self) -> list[Action]:
        """Export, copy."""
        return [
            Action(
                "analyse.export", "Export figure…", self.export, keys=("Ctrl+E",), icon="export", menu="File",
                group="exchange", local=True, short="Export…", enabled=self.has_figure,
                why_not=lambda: "Run an experiment first",
                tip="Write the figure shown as PNG, SVG or PDF, its data as CSV or Parquet",
            ),
            Action(
                "analyse.copy", "Copy figure", self.copy, menu="Edit", group="figure",
                enabled=self.has_figure, why_not=lambda: "Run an experiment first",
            ),
        ]  # fmt: skip

    def _export_view(self) -> None:
        from fsconsole.console.export_dialog import ExportDialog

        analyse, view = self._analyse, self._analyse.view
        if view is not None:
            dialog = ExportDialog(lambda: view.spec, analyse, preferences=analyse.session.preferences)
            dialog.said.connect(analyse.session.message)
            dialog.open()
