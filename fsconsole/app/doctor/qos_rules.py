"""Rules on the QOS of a Slurm cluster, above all on relative ones, whose limits are percent."""

from __future__ import annotations

from collections.abc import Iterator

from fsconsole.app.doctor.rule import Hit, rule
from fsconsole.app.doctor.site import Site
from fsconsole.slurm.parsers.qos import Qos
from fsconsole.slurm.relative_qos import Bound, bounds_of, is_relative, least_percent
from fsconsole.text.words import listed


def _relative(site: Site) -> Iterator[Qos]:
    return (one for one in site.qos if is_relative(one))


def _bounds(site: Site) -> Iterator[tuple[Qos, Bound]]:
    return ((one, bound) for one in _relative(site) for bound in bounds_of(one))


def _partitions(site: Site, qos: Qos) -> list[str]:
    return [one.name for one in site.partitions if one.qos == qos.name]


def _limit(bound: Bound) -> str:
    """Return a limit as sacctmgr stores it."""
    return f"{bound.limit.label} {bound.tres}={bound.stored}"


@rule("relative-qos-shared")
def _relative_qos_shared(site: Site) -> Iterator[Hit]:
    for qos in _relative(site):
        names = _partitions(site, qos)
        if len(names) > 1:
            yield Hit(
                f"QOS {qos.name}", f"Partitions {listed(names)} have the relative QOS {qos.name}.",
                "Give each partition a relative QOS of its own.",
                "slurmctld ends at its next start or reconfigure with such a QOS.",
            )  # fmt: skip


@rule("relative-not-in-force")
def _relative_not_in_force(site: Site) -> Iterator[Hit]:
    for qos in site.qos:
        late = [one for one in bounds_of(qos) if one.is_late]
        if late:
            first = late[0]
            meant = first.words if first.is_relative else f"{first.words}, without flag Relative"
            yield Hit(
                f"QOS {qos.name}",
                f"{_limit(first)} of QOS {qos.name} means {meant}. slurmctld has "
                    f"{first.words_in_force} in force.",
                "scontrol reconfigure, which puts a changed flag Relative into force.",
                f"{listed([_limit(one) for one in late], 3)} then apply as stored.",
            )  # fmt: skip


@rule("relative-percent-above-100")
def _relative_percent_above_100(site: Site) -> Iterator[Hit]:
    for qos, bound in _bounds(site):
        if bound.stored > 100:
            unit = " A unit such as G is not for percent: Slurm stores MB." if bound.tres == "mem" else ""
            yield Hit(
                f"QOS {qos.name}",
                f"{_limit(bound)} of QOS {qos.name} is {bound.stored}\N{NO-BREAK SPACE}%, which counts as "
                    f"100\N{NO-BREAK SPACE}%.{unit}",
                f"fsconsole slurm limit qos:{qos.name} {bound.limit.label}={bound.tres}=100, or less.",
                "Nothing changes with 100. With less, the limit begins to hold jobs.",
            )  # fmt: skip


@rule("relative-rounds-to-0")
def _relative_rounds_to_0(site: Site) -> Iterator[Hit]:
    for qos, bound in _bounds(site):
        is_least = bound.limit.name.startswith("Min")
        if bound.total and bound.stored and bound.computed == 0 and not is_least:
            least = least_percent(1, bound.total)
            yield Hit(
                f"QOS {qos.name}",
                f"{_limit(bound)} of QOS {qos.name}: {bound.words}.",
                f"fsconsole slurm limit qos:{qos.name} {bound.limit.label}={bound.tres}={least}, or more.",
                f"Jobs of QOS {qos.name} that need {bound.tres} can start. Today none can.",
            )  # fmt: skip


@rule("relative-partition-qos-listed")
def _relative_partition_qos_listed(site: Site) -> Iterator[Hit]:
    for qos in _relative(site):
        names = _partitions(site, qos)
        rows = [row for row, listed_here in enumerate(site.qos_lists) if qos.name in listed_here]
        if names and rows:
            yield Hit(
                site.levels.paths[rows[0]],
                f"{listed([site.levels.paths[row] for row in rows], 3)} may use QOS {qos.name}, which is "
                    f"relative and that of partition {names[0]}.",
                f"Remove {qos.name} from their QOS: sacctmgr modify account NAME set qos-={qos.name}.",
                "Jobs that name it are refused (Invalid qos specification). Jobs of the partition need not.",
            )  # fmt: skip


@rule("relative-minutes")
def _relative_minutes(site: Site) -> Iterator[Hit]:
    for qos in _relative(site):
        minutes = [one for one in bounds_of(qos) if "Mins" in one.limit.name]
        if minutes:
            yield Hit(
                f"QOS {qos.name}",
                f"{_limit(minutes[0])} of QOS {qos.name} is {minutes[0].words}.",
                "Set limits of minutes in a QOS without flag Relative, unless so few are meant.",
                "The limit then allows as many minutes as are stored.",
            )  # fmt: skip
