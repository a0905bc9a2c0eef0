"""Settings of a scenario as a person reads them: name, unit, meaning, where a default is from."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, Literal, get_args, get_origin

from fsconsole.shares.scenario.policy_spec import POLICY_NAMES, POLICY_SECTIONS, PolicySpec
from fsconsole.shares.scenario.ranges import JUNGLAS, NEAR_DEDICATED, OURS, SHARE, UNICOS, declared, is_time
from fsconsole.shares.scenario.settings import parse_setting, setting_types
from fsconsole.shares.scenario.spec import PARTS, MachineSpec, default_settings
from fsconsole.text.durations import in_words


@dataclass(frozen=True, slots=True)
class Parameter:
    """One setting.

    Attributes:
        key: dotted key as in files and on the command line.
        label, unit: what stands beside the field; durations are typed with their unit.
        source: where the default value is from.
    """

    key: str
    label: str
    unit: str
    source: str


def _of_policy() -> dict[str, tuple[Parameter, ...]]:
    """The sections of the policies' settings, as `PolicySpec` declares them."""
    said = {item.name: declared(item) for item in fields(PolicySpec)}

    def parameter(name: str) -> Parameter:
        return Parameter(f"policy.{name}", said[name].label, said[name].unit, said[name].source)

    return {title: tuple(map(parameter, names)) for title, names in POLICY_SECTIONS.items()}


SECTIONS: dict[str, tuple[Parameter, ...]] = {
    "Machine": (
        Parameter("machine.name", "Name", "", OURS),
        Parameter("machine.start", "Date and time at 0", "", OURS),
        Parameter("machine.cpus", "Processors", "CPUs", JUNGLAS),
        Parameter("machine.hz", "Clock ticks, 1/t3", "per second", JUNGLAS),
        Parameter("machine.decay_interval_s", "Decay of priorities, t2", "", JUNGLAS),
        Parameter("machine.k2", "K2", "per nice step", SHARE),
        Parameter("machine.k3", "K3", "nice steps", SHARE),
        Parameter("machine.sharer_interval_s", "Rounds of the sharer", "", JUNGLAS),
        Parameter("machine.count_inactive", "Count inactive users", "", JUNGLAS),
        Parameter("machine.io_queue", "Queues of devices", "", UNICOS),
        Parameter("machine.defer_interactive_to", "Interactive work is charged to", "leaf", NEAR_DEDICATED),
    ),
    "Costs": (
        Parameter("machine.tick_cost", "Tick of CPU", "cost units", SHARE),
        Parameter("machine.nice_cost", "Nice in the cost", "", JUNGLAS),
        Parameter("machine.syscall_cost", "System call", "cost units", SHARE),
        Parameter("machine.bio_cost", "Block request", "cost units", SHARE),
        Parameter("machine.tio_cost", "Stream request", "cost units", SHARE),
        Parameter("machine.click_cost", "Click of memory, per delta", "cost units", SHARE),
        Parameter("machine.calendar", "Rates by day and hour", "", JUNGLAS),
    ),
    **_of_policy(),
    "Memory": (
        Parameter("memory.size_mw", "Memory for users", "MW", OURS),
        Parameter("memory.swap_mw_per_s", "Swap device", "MW/s", OURS),
        Parameter("memory.share_aware", "Swapping looks at shares", "", NEAR_DEDICATED),
        Parameter("memory.pfactor_in", "Weight of shares in memory, -p", "", OURS),
        Parameter("memory.pfactor_out", "Weight of shares out of it, -P", "", OURS),
        Parameter("memory.tfactor_in", "Loss by time in memory, -T", "per second", OURS),
        Parameter("memory.tfactor_out", "Loss by time out of it", "per second", OURS),
        Parameter("memory.hard_sleep", "Hard sleepers leave", "", NEAR_DEDICATED),
        Parameter("memory.tfactor_in_hs", "Loss by hard sleep, -T", "per second", OURS),
        Parameter("memory.lckswp", "Mark locked I/O, LCKSWP", "", NEAR_DEDICATED),
        Parameter("memory.persistence", "Keep at one image, persistence", "", NEAR_DEDICATED),
        Parameter("memory.cpu_factor", "Runnable per processor", "", OURS),
        Parameter("memory.max_outage_s", "Longest outage", "", OURS),
        Parameter("memory.min_residence_s", "Least time in memory", "", OURS),
        Parameter("memory.pass_s", "Passes of the memory scheduler", "", OURS),
        Parameter("memory.sds_mw", "Secondary data segment, SDS", "MW", OURS),
        Parameter("memory.sds_daemon", "SDS daemon", "", NEAR_DEDICATED),
        Parameter("memory.sds_poll_s", "SDS daemon looks every", "", OURS),
        Parameter("memory.checkpoint_mw_per_s", "Checkpoint and restart", "MW/s", OURS),
    ),
    "URM": (
        Parameter("urm.age_wt", "Weight of age in the queue", "", OURS),
        Parameter("urm.usage_wt", "Weight of usage", "", OURS),
        Parameter("urm.service_wt", "Weight of the queue's priority", "", OURS),
        Parameter("urm.size_wt", "Weight of little memory", "", OURS),
        Parameter("urm.run_limit", "Jobs that run at a time", "jobs", OURS),
        Parameter("urm.memory_mw", "Memory of running jobs", "MW", OURS),
        Parameter("urm.pass_s", "Passes of URM", "", OURS),
    ),
}
PARAMETERS = tuple(parameter for section in SECTIONS.values() for parameter in section)

SPECS: dict[str, type[Any]] = {"machine": MachineSpec, "policy": PolicySpec, **PARTS}
_WHOLE_FROM = 1e5


def choices(parameter: Parameter) -> tuple[str, ...]:
    """The words that a setting can have; empty where it is a number or a text."""
    room, _, name = parameter.key.partition(".")
    if parameter.key == "policy.name":
        return POLICY_NAMES
    hint = setting_types(room)[name]
    if get_origin(hint) is not Literal:
        return ("no", "yes") if hint is bool else ()
    return tuple(str(word) for word in get_args(hint))


def default_of(parameter: Parameter) -> Any:
    """The value where a file says nothing."""
    return default_settings()[parameter.key]


def written(parameter: Parameter, value: Any) -> str:
    """A value as it is typed, with six digits where it has more, as K2 does."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return str(value)
    if isinstance(value, tuple):
        return ", ".join(in_words(item) if is_time(parameter.key) else _text(item) for item in value)
    if is_time(parameter.key):
        return in_words(float(value))
    return _text(value)


def _text(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) and _is_short(value) else str(value)


def _is_short(value: float) -> bool:
    return float(f"{value:g}") == value or abs(value) < _WHOLE_FROM


def parsed(parameter: Parameter, text: str) -> Any:
    """The value that a text means; SettingError says what would be right."""
    if isinstance(default_of(parameter), bool):
        return text == "yes"
    if isinstance(default_of(parameter), tuple):
        text = f"[{text}]"
    return parse_setting(f"{parameter.key}={text}")[1]
