"""`fsconsole slurm status`: the parts of a cluster that answer, and their contents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from fsconsole.cli.cluster import read, unfinished_notes, via_option
from fsconsole.cli.tables import print_json, print_table
from fsconsole.targets.slurm.state import PartName
from fsconsole.text.numbers import thousands
from fsconsole.text.words import count_words

if TYPE_CHECKING:
    from fsconsole.cli.cluster import Reading


@click.command("status")
@via_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def command(ctx: click.Context, via: tuple[str, ...], as_json: bool) -> None:
    """Query a Slurm cluster for everything once, and show what answers and how long it takes.

    The cluster is the one that Slurm's tools here know, or those behind --via. Nothing is changed.
    """
    reading = read(via)
    notes = unfinished_notes(reading)
    if as_json:
        print_json({**_plain(reading), "unfinished": notes})
    else:
        print("\n".join(_head(reading)))
        if reason := _common_reason(reading):
            print(reason)
        else:
            print_table(["Part", "Answer", "Time"], _rows(reading), numbers=False)
        print("".join(f"{note}\n" for note in notes), end="")
    ctx.exit(1 if reading.problems else 0)


def _head(reading: Reading) -> list[str]:
    from fsconsole.app.cluster.connection_check import connection_sentence
    from fsconsole.targets.slurm.location import place_name

    place = place_name(reading.place)
    lines = [reading.name if reading.name == place else f"{reading.name} (through {place})"]
    if sentence := connection_sentence(reading.tools.connection):
        lines.append(sentence)
    settings = reading.settings
    if settings is not None:
        lines.append(f"Slurm {settings.version}, {_fairshare(reading)}, every {settings.calc_period_s:g} s")
    return lines


def _fairshare(reading: Reading) -> str:
    settings = reading.settings
    if settings is None:
        return ""
    is_damped = not (settings.is_fair_tree or settings.is_depth_oblivious)
    return f"{settings.rule} (dampening {settings.dampening:g})" if is_damped else settings.rule


def _common_reason(reading: Reading) -> str:
    """Return the reason that all parts share but for the name of the tool; empty without one."""
    from fsconsole.app.cluster.connection_check import sentence

    texts = list(reading.problems.values())
    is_common = len(texts) == len(PartName) and len({text.partition(" ")[2] for text in texts}) == 1
    return f"{sentence(texts[0])}\nAll other parts failed for the same reason." if is_common else ""


def _rows(reading: Reading) -> list[list[str]]:
    rows = []
    for part in PartName:
        took = f"{reading.took_s[part]:.2f} s" if part in reading.took_s else ""
        rows.append([str(part), reading.problems.get(part) or _answer(reading, part), took])
    return rows


def _answer(reading: Reading, part: PartName) -> str:
    if part is PartName.SETTINGS:
        return f"slurmctld responds for {reading.name}"
    count = _count(reading, part)
    if part is PartName.QOS:
        return f"{thousands(count)} QOS"
    things = {PartName.TREE: "association", PartName.USAGE: "association"}.get(part, str(part)[:-1])
    return count_words(count, things)


def _count(reading: Reading, part: PartName) -> int:
    from fsconsole.slurm.job_labels import job_count

    found = reading.found[part]
    return job_count(found) if part is PartName.JOBS else len(getattr(found, "tree", found))


def _plain(reading: Reading) -> dict[str, Any]:
    settings = reading.settings
    parts = {
        str(part): {
            "problem": reading.problems.get(part, ""),
            "took_s": round(reading.took_s.get(part, 0.0), 3),
            "count": _count(reading, part)
            if part in reading.found and part is not PartName.SETTINGS
            else None,
        }
        for part in PartName
    }
    fields = {"version": settings.version, "fairshare": _fairshare(reading)} if settings is not None else {}
    facts, connection = reading.tools.facts, reading.tools.connection
    via: dict[str, object] = {"via": list(reading.place.prefix), "shared": connection.is_shared}
    if facts is not None:
        via |= {"user": facts.user, "host": connection.host or facts.host, "shell": facts.shell}
    return {"cluster": reading.name, **via, **fields, "parts": parts}
