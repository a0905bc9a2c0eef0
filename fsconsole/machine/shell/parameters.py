"""`charge`, `charges`, `shradm` and `shrview`: the parameters of scheduler and costs."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Mapping
from typing import Any

from fsconsole.machine.shell import text
from fsconsole.machine.shell.command import Command
from fsconsole.machine.shell.constants import constants, shrview_constants
from fsconsole.machine.shell.options import Options, Parser, number, time_s
from fsconsole.machine.shell.reply import Refused
from fsconsole.machine.shell.session import Session
from fsconsole.machine.shell.values import LEFT_OUT, add_view_options, view_of
from fsconsole.policies.registry import POLICIES, policy_named, stability_warnings
from fsconsole.shares.scenario.actions import NICE_LEVELS, NORMAL_NICE, SetSetting
from fsconsole.shares.scenario.names import DEFER_TO
from fsconsole.shares.scenario.policy_spec import PolicySpec
from fsconsole.shares.scenario.ranges import is_time
from fsconsole.shares.scenario.settings import parse_setting, value_of
from fsconsole.shares.scenario.spec import (
    FIXED_SETTINGS,
    MachineSpec,
    changed_settings,
    settings_in_order,
)
from fsconsole.shares.tree import ROOT_ID
from fsconsole.text.nearest import nearest_or_all

COSTS = ("tick_cost", "syscall_cost", "bio_cost", "tio_cost", "click_cost")
_Reader = Callable[[str, str], float]


def _hours(field: str, typed: str) -> float:
    """Return seconds of hours as a bare number (charge -K 8), or of a time with its unit."""
    if typed.strip()[-1:].isalpha():
        return time_s(field, typed)
    return 3600 * number(field, typed)


# Each letter has its setting, the reader of its value, and a description.
_LETTERS: dict[str, tuple[str, _Reader, str]] = {
    "R": ("policy.delta_s", time_s, "delta, the interval of the scheduler, s"),
    "K": ("policy.half_life_s", _hours, "half-life of usage in hours, or as 600s"),
    "E": ("policy.rate_half_life_s", time_s, "half-life of the rate of active processes, s"),
    "U": ("policy.max_kusage", number, "MAXUSAGE, largest usage / share^2 that counts"),
    "X": ("policy.maxushare", number, "MAXUSHARE, for LIMSHARE"),
    "Y": ("policy.mingshare", number, "MINGSHARE, for ADJGROUPS"),
    "Z": ("policy.sharemin", number, "sharemin, the share quantum, fraction of the machine"),
    "s": ("machine.syscall_cost", number, "cost of a system call"),
    "b": ("machine.bio_cost", number, "cost of a block request"),
    "y": ("machine.tio_cost", number, "cost of a stream request"),
    "m": ("machine.click_cost", number, "cost of a click of memory for a delta"),
    "t": ("machine.tick_cost", number, "cost of a tick of CPU"),
}
_ABSENT = {
    "S": "MAXUSERS: this machine does not limit the number of users",
    "G": "MAXGROUPS: this machine does not limit the depth of groups",
    "P": "MAXPRI: priorities do not have a ceiling here",
    "Q": "MAXUPRI: priorities do not have a ceiling here",
}
_BY_FLAG = {policy.flag: policy.name for policy in POLICIES.values() if policy.flag}
FLAGS = ("ADJGROUPS", "NOSCHED", *_BY_FLAG, "DEFERTOESGRP", "LIMSHARE")
_ON, _OFF = ("on", "yes", "1"), ("off", "no", "0")


def charge(session: Session, options: Options) -> str:
    """Set parameters and costs, or scale all five costs."""
    wanted = _by_letter(options, "REKUXYsbymt")
    if options.F is not None:
        wanted |= _flag_bits(session, options.F)
    if options.D is not None:
        wanted |= _priority_decay(session, options.D)
    if options.percent is not None:
        wanted = _scaled(session, options) | wanted
    if not wanted:
        raise Refused("name a change, such as charge -K 8 or charge 50. charges shows current values")
    return change_settings(session, wanted)


def _by_letter(options: Options, letters: str) -> dict[str, Any]:
    for letter, about in _ABSENT.items():
        if getattr(options, letter) is not None:
            msg = f"-{letter} cannot be set. {about}"
            raise Refused(msg)
    wanted = {}
    for letter in letters:
        typed = getattr(options, letter)
        if typed is not None:
            key, read, _ = _LETTERS[letter]
            wanted[key] = read(f"-{letter}", typed)
    return wanted


def _flag_bits(session: Session, typed: str) -> dict[str, Any]:
    """Return the settings of NOSHARE 01, ADJGROUPS 02 and LIMSHARE 04, octal, as in charge(1)."""
    if typed.lstrip("0") not in ("", *"1234567"):
        msg = (
            f"-F must be an octal number from 0 to 07 (NOSHARE 01, ADJGROUPS 02, LIMSHARE 04), not {typed!r}"
        )
        raise Refused(msg)
    bits = int(typed or "0", 8)
    return {
        "policy.nosched": bool(bits & 1),
        "policy.adjgroups": _adjusted(session) if bits & 2 else "off",
        "policy.limshare": bool(bits & 4),
    }


def _adjusted(session: Session) -> str:
    """Return the value of ADJGROUPS on: Share's rule, or the variant that is in force already."""
    adjgroups = session.machine.policy_spec.adjgroups
    return "share" if adjgroups == "off" else adjgroups


def _priority_decay(session: Session, typed: str) -> dict[str, Any]:
    """Return the settings K2 and K3 of two half-lives, for normal and for the largest nice value."""
    parts = typed.split(",")
    if len(parts) != 2:
        msg = f"-D must be two times, H1,H2, such as 2,60, not {typed!r}"
        raise Refused(msg)
    normal_s, largest_s = (time_s("-D", part) for part in parts)
    if not 0 < normal_s < largest_s:
        raise Refused("-D needs two times above 0 s. The first must be smaller than the second")
    # Source: charge(1), PriDecayBase = ((2 NZERO - 1) f - NZERO) / (1 - f), f the quotient of the two decays.
    step_s = session.machine.spec.decay_interval_s
    decay = 0.5 ** (step_s / largest_s)
    quotient = 0.5 ** (step_s / normal_s) / decay
    largest = NICE_LEVELS - 1
    base = math.trunc((largest * quotient - NORMAL_NICE) / (1 - quotient))
    if base <= 0:
        raise Refused("-D: the first time is too small beside the second, as PriDecayBase would be 0")
    return {"machine.k3": float(base), "machine.k2": decay / (base + largest)}


def _scaled(session: Session, options: Options) -> dict[str, Any]:
    percent = number("the percentage", options.percent.removesuffix("%"))
    machine = session.machine
    spec = machine.spec if options.C else machine.scenario.machine
    return {f"machine.{name}": getattr(spec, name) * percent / 100 for name in COSTS}


def change_settings(session: Session, wanted: Mapping[str, Any]) -> str:
    """Set all settings or none; return the changes with their time of effect.

    Raises:
        Refused: a setting cannot change while the machine runs, or its value is not possible.
    """
    machine = session.machine
    before = {**machine.settings, **machine.waiting.settings}
    typed = {key: value_of(key, value) for key, value in wanted.items()}
    if typed.get(DEFER_TO):
        typed[DEFER_TO] = session.machine.tree.path(session.find_leaf(typed[DEFER_TO]).id)
    changed = {key: value for key, value in typed.items() if before[key] != value}
    fixed = [key for key in changed if key in FIXED_SETTINGS]
    if fixed:
        msg = f"{fixed[0]} cannot change while the machine runs"
        raise Refused(msg)
    if not changed:
        return "Nothing changes: these values already apply"
    waiting = machine.waiting.settings
    spec, so_far = changed_settings(machine.spec, machine.policy_spec, waiting)
    _, policy = changed_settings(machine.spec, machine.policy_spec, {**waiting, **changed})
    lines = [f" {key}  {_shown(before[key], key)} -> {_shown(value, key)}" for key, value in changed.items()]
    known = stability_warnings(so_far)
    for warning in stability_warnings(policy):
        if warning not in known:
            lines += textwrap.wrap(f"warning: {warning}", text.WIDTH, subsequent_indent=" ")
    for key, value in settings_in_order(spec, so_far, changed).items():
        outcome = machine.act(SetSetting(key, value), session.signs, session.why)
        if not outcome.done:
            raise Refused(outcome.text)
    return "\n".join([f"{session.in_force()[0].upper()}{session.in_force()[1:]}:", *lines])


def _shown(value: Any, key: str = "") -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if is_time(key) and isinstance(value, float):
        return text.length(value)
    return f"{value:.10g}" if isinstance(value, float) else str(value) or "none"


def charges(session: Session, options: Options) -> str:
    """Show parameters and costs in force, or the Share kernel's."""
    machine = session.machine
    if options.default is not None:
        if options.default != "-":
            msg = f"{options.default!r} has no meaning here. charges - shows the defaults"
            raise Refused(msg)
        return "\n".join(constants(MachineSpec(), PolicySpec(), 1.0, verbose=options.verbose))
    lines = constants(machine.spec, machine.policy_spec, machine.cost_rate, verbose=options.verbose)
    if options.verbose:
        lines += _largest(session)
    return "\n".join(lines + _waiting(session))


def _largest(session: Session) -> list[str]:
    machine = session.machine
    sample, table = machine.sample(), machine.processes
    usage = max(sample.columns["usage"][machine.flat.is_leaf].tolist(), default=0.0)
    normalised = max(sample.columns["normalised_usage"][machine.flat.is_leaf].tolist(), default=0.0)
    priority = max(table.priority.tolist(), default=0)
    total = float(sample.columns["charge"][0])
    return text.paragraph(
        [
            f"largest usage {text.si(usage)}",
            f"normalised {text.si(normalised)}",
            f"priority {text.si(priority)}",
            f"charged in total {text.si(total)} CPU s",
        ]
    )


def _waiting(session: Session) -> list[str]:
    waiting = session.machine.waiting.settings
    if not waiting:
        return []
    lines = [f" {key} = {_shown(value, key)}" for key, value in waiting.items()]
    return [f"At the next delta, in {session.until_delta()}:", *lines]


def shradm(session: Session, options: Options) -> str:
    """Show or set flags and parameters of the scheduler; without arguments show those in force."""
    wanted = _by_letter(options, "RKEUXYZ")
    for word in options.flag:
        wanted |= _flag(session, word)
    if wanted:
        return change_settings(session, wanted)
    machine, policy = session.machine, session.machine.policy_spec
    defer = machine.spec.defer_interactive_to
    words = [
        f"policy {policy.name}",
        f"ADJGROUPS {policy.adjgroups}",
        f"NOSCHED {_shown(policy.nosched)}",
        *(f"{flag} {_shown(policy.name == name)}" for flag, name in _BY_FLAG.items()),
        f"LIMSHARE {_shown(policy.limshare)}",
        f"DEFERTOESGRP {defer or 'off'}",
        f"delta {text.length(policy.delta_s)}",
        f"half-life {text.length(policy.half_life_s)}",
        f"sharemin {policy.sharemin:g}",
        f"mingshare {policy.mingshare:g}",
    ]
    return "\n".join(text.paragraph(words) + _waiting(session))


def _flag(session: Session, word: str) -> dict[str, Any]:
    """Return the settings of FLAG, FLAG=on, FLAG=off, FLAG=VALUE or of a setting by its own key."""
    name, equals, value = word.partition("=")
    if name.upper() not in FLAGS and ("." in name or equals):
        key, typed = parse_setting(word)
        return {key: typed}
    is_off, is_on = value.lower() in _OFF, not equals or value.lower() in _ON
    if name.upper() == "DEFERTOESGRP":
        return {DEFER_TO: "" if is_off else _defer_to(value)}
    if name.upper() == "ADJGROUPS" and value in ("share", "integral"):
        return {"policy.adjgroups": value}
    if name.upper() not in FLAGS:
        msg = f"no flag {name!r}{nearest_or_all(name.upper(), FLAGS)}"
        raise Refused(msg)
    if not (is_on or is_off):
        more = ", share or integral" if name.upper() == "ADJGROUPS" else ""
        msg = f"{name} can be on or off{more}, not {value!r}"
        raise Refused(msg)
    if name.upper() == "ADJGROUPS":
        return {"policy.adjgroups": _adjusted(session) if is_on else "off"}
    if name.upper() in _BY_FLAG:
        return {"policy.name": _BY_FLAG[name.upper()] if is_on else _without_flag(session)}
    return {f"policy.{name.lower()}": is_on}


def _without_flag(session: Session) -> str:
    """Return a policy without a flag: the one in force, else the scenario's, else the default one."""
    specs = (session.machine.policy_spec, session.machine.scenario.policy)
    return next((spec.name for spec in specs if not policy_named(spec.name).flag), PolicySpec().name)


def _defer_to(reference: str) -> str:
    if not reference or reference.lower() in _ON:
        raise Refused("DEFERTOESGRP needs a user or account to charge. Use DEFERTOESGRP=NODE or off")
    return reference


def shrview(session: Session, options: Options) -> str:
    """Show the tree with shares and use, or the constants."""
    what = "consts" if options.consts else options.what
    if what in ("consts", "shconsts"):
        return "\n".join(shrview_constants(session.machine.policy_spec))
    if what != "tree":
        msg = f"{what!r} cannot be shown{nearest_or_all(what, ('tree', 'consts'))}"
        raise Refused(msg)
    return "\n".join(_tree(session, options))


def _tree(session: Session, options: Options) -> list[str]:
    tree, view = session.machine.tree, view_of(session.machine, options)
    rows = []
    for node in tree.walk():
        values = view.of(node.id)
        indent = " " * min(tree.depth(node.id), 12)
        cells = ["", "", "", "", ""]
        if values is not None and node.id != ROOT_ID:
            cells = [text.percent(values.machine_share, 2), text.percent(values.allocated)]
            cells += [text.percent(values.cpu_rate), text.si(values.usage), text.si(values.charge)]
        rows.append([f"{indent}{text.clipped(node.name, 26 - len(indent))}", str(node.shares), *cells])
    header = ("node", "shares", "of machine %", "allocated %", "CPU %", "usage", "charge, s")
    footer = [f"{LEFT_OUT}, but for share of machine"] if view.leave_out else []
    return [*text.table(header, rows, "node"), *footer]


def _letter_options(parser: Parser, letters: str) -> None:
    for letter in letters:
        parser.add_argument(f"-{letter}", metavar="N", help=_LETTERS[letter][2])
    for letter, about in _ABSENT.items():
        parser.add_argument(f"-{letter}", metavar="N", help=f"refused; {about}")


def _charge_options(parser: Parser) -> None:
    parser.add_argument("percent", metavar="PERCENT", nargs="?", help="scale all five costs of the scenario")
    parser.add_argument("-C", action="store_true", help="scale the current costs instead")
    parser.add_argument("-F", metavar="OCTAL", help="flags NOSHARE 01, ADJGROUPS 02, LIMSHARE 04")
    parser.add_argument("-D", metavar="H1,H2", help="half-lives of priorities at normal and largest nice")
    _letter_options(parser, "RKEUXYsbymt")


def _charges_options(parser: Parser) -> None:
    parser.add_argument("default", metavar="-", nargs="?", help="the Share kernel's defaults")
    parser.add_argument(
        "-v", dest="verbose", action="store_true", help="also decay factors and largest values"
    )


def _shradm_options(parser: Parser) -> None:
    parser.add_argument(
        "flag", metavar="FLAG", nargs="*", help="FLAG, FLAG=off, DEFERTOESGRP=NODE, or a setting KEY=VALUE"
    )
    _letter_options(parser, "RKEUXYZ")


def _shrview_options(parser: Parser) -> None:
    parser.add_argument("what", metavar="tree|consts", nargs="?", default="tree", help="what to show")
    parser.add_argument("-c", dest="consts", action="store_true", help="the constants")
    add_view_options(parser)


COMMANDS = (
    Command(
        "charge",
        "[-C] [-F OCTAL] [-D H1,H2] [-LETTER N]... [PERCENT]",
        "Change parameters and costs from the next delta on.",
        "Options from charge(1) of Research Unix 10. Ours: parameters that are not named stay as they "
        "are. A percentage refers to the scenario's costs, or with -C to the current ones. Limits "
        "that do not exist here are rejected.",
        charge,
        _charge_options,
        acts=True,
    ),
    Command(
        "charges",
        "[-v] [-]",
        "Show the parameters that are the same for all users.",
        "From Junglas 1991 section 6 and charge(1) of Research Unix 10; the layout is ours. The "
        "charge by cause (-v there) is not recorded here.",
        charges,
        _charges_options,
    ),
    Command(
        "shradm",
        "[-LETTER N]... [FLAG[=on|off]]... [KEY=VALUE]...",
        "Set or show the scheduler's flags and parameters.",
        f"Flags: {', '.join(FLAGS)}.\n-R, -Y, -Z and the flags are named in Everitt et al. and Brady "
        "et al. The other letters, the form FLAG=off and the meaning of DEFERTOESGRP are our "
        "reconstruction, as we found no manual page.",
        shradm,
        _shradm_options,
        acts=True,
    ),
    Command(
        "shrview",
        "[tree | consts | -c] [-x | --system]",
        "Show the share tree, or the scheduler's constants.",
        "The decay factor of consts is from Everitt et al., equation 6. The rest is our reconstruction.",
        shrview,
        _shrview_options,
    ),
)
