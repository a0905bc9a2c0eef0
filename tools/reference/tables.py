"""Pages that are one table each: formats, keys, the machine's shell, rules of the doctor, the glossary."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fsconsole.app.doctor.examine import RULES
from fsconsole.console.actions import MENUS, Action
from fsconsole.console.gestures import GESTURES
from fsconsole.console.help.glossary import GLOSSARY
from fsconsole.figures.export import DATA_FORMATS, FIGURE_FORMATS
from fsconsole.figures.quantities import QUANTITY_NAMES, quantity_named
from fsconsole.machine.shell.command import Command
from fsconsole.machine.shell.shell import COMMANDS
from fsconsole.neardedicated.shell import COMMANDS as OF_NIGHTS
from fsconsole.shares.formats import FORMATS
from tools.reference.markdown import code, page, table


def formats_page() -> str:
    """Return the page of formats: share trees, figures, quantities in data files."""
    trees = table(
        ("name", "format", "suffixes", "values that only it has"),
        (
            (
                code(one.name),
                one.title,
                " ".join(map(code, one.all_suffixes)),
                ", ".join(_columns(one.columns)),
            )
            for one in FORMATS
        ),
    )
    quantities = table(
        ("column", "what it is", "unit in files", "note"),
        (
            (code(one.name), one.title, one.axis.data_unit, one.tip)
            for one in map(quantity_named, QUANTITY_NAMES)
        ),
    )
    return page(
        "Formats",
        "What is read and written. [Run folders](run-folder.md) have a page of their own, and so have "
        "[scenario](scenario-file.md), [study](study-file.md) and [search files](search-file.md).",
        "## Share trees",
        "`fsconsole tree convert IN OUT --to NAME` and the dialogs of **File** read and write them; "
        "[trees of other schedulers](../how-to/other-schedulers.md) explains what is kept.",
        trees,
        "## Figures and data",
        f"Plots and figures are written as {_listed(FIGURE_FORMATS)}, their data as {_listed(DATA_FORMATS)}.",
        "## Quantities",
        "Columns of samples, as in exports and run folders.",
        quantities,
        "## Traces of parallel jobs",
        "Read: the Standard Workload Format (`.swf`, `.swf.gz`), and what `sacct -P` prints. Written: "
        "the Standard Workload Format.",
        "A schedule takes jobs as rectangles of processors and time in one pool. What else a trace has is "
        "counted with each result, in jobs: GPUs, memory, licences, time limits, QOS limits, reservations, "
        "features and partitions of `sacct`; time limits, memory, partitions and queues of the Standard "
        "Workload Format.",
    )


def _columns(columns: Iterable[object]) -> list[str]:
    return [str(getattr(one, "title", one)) for one in columns]


def _listed(names: Iterable[str]) -> str:
    return ", ".join(name.upper() if name != "parquet" else "Parquet" for name in names)


def keys_page(actions: Iterable[Action]) -> str:
    """Return the page of keys: of all actions with keys, and what the mouse does in plots."""
    rows = [
        (" > ".join((*one.menu.split("/"), one.name)) if one.menu else one.name, _keys(one), one.tip)
        for one in actions
        if one.keys
    ]
    ordered = sorted(dict.fromkeys(rows), key=lambda row: (_menu(row[0]), row[0]))
    return page(
        "Keys",
        "Keys of the console. **Shift+F1** shows those that act on what is open. Some act only in their own "
        "view, so one key may have two meanings.",
        table(("command", "keys", "what it does"), ordered),
        "## Everywhere",
        table(("what", "keys"), (("Leave an editor, a drag, a dialog", "Esc"), ("Next control", "Tab"))),
        "## Mouse in plots",
        table(("what", "how"), GESTURES),
    )


def _keys(action: Action) -> str:
    return ", ".join(map(code, action.keys))


def _menu(name: str) -> int:
    menu = name.partition(" > ")[0]
    return MENUS.index(menu) if menu in MENUS else len(MENUS)


def shell_page() -> str:
    """Return the page of the machine's shell."""
    rows = [row for one in (*COMMANDS, *OF_NIGHTS) for row in _shell_rows(one)]
    return page(
        "Commands of the machine's shell",
        "Typed in the machine console of Observe, or behind `fsconsole machine SCENARIO`. `help "
        "COMMAND` shows options.",
        table(("command", "usage", "what it does", "from"), rows),
    )


def _shell_rows(command: Command) -> Iterator[tuple[str, ...]]:
    names = " or ".join(map(code, (command.name, *command.aliases)))
    yield names, code(command.usage), command.about, command.source
    for below in command.below:
        yield from _shell_rows(below)


def doctor_page() -> str:
    """Return the page of the doctor's rules."""
    return page(
        "Rules of the doctor",
        "`fsconsole doctor` and **Problems** in Design go through them; [the fair-share "
        "doctor](../how-to/doctor.md) shows how.",
        table(
            ("rule", "grade", "finds", "source"),
            ((code(rule.id), str(rule.grade), rule.title, rule.source) for rule in RULES),
        ),
    )


def glossary_page() -> str:
    """Return the page of terms."""
    parts = []
    for title, terms in GLOSSARY.items():
        parts += [
            f"## {title}",
            table(
                ("term", "meaning", "elsewhere", "source"),
                ((one.name, one.meaning, one.elsewhere, one.source) for one in terms),
            ),
        ]
    return page("Glossary", "The words of the field as the console uses them.", *parts)
