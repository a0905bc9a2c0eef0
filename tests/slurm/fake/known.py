"""What the fake tools say by themselves: what a real cluster printed, with the shares that were set since.

Understood are the ways of asking that a console needs, with Slurm's own rules of what is printed then (`-n`,
`-P`, `-a`, columns). Anything else is refused in words, with an exit status that no tool of Slurm has: a test
must set its answer. Standard library alone.
"""

from __future__ import annotations

import fcntl
import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.slurm.fake.as_text import as_delimited, in_one_line, sinfo_lines, squeue_lines
from tests.slurm.fake.tables import Table, read_table

NOT_KNOWN = 64  # exit status of a call that nothing here answers
VERSION = "slurm-wlm 22.05.8"

_CAPTURES = Path(__file__).parents[1] / "captures"
_ASSOC = "Cluster|ID|ParentID|LFT|RGT|Account|User|Partition|Share|ParentName|Def QOS|QOS"
_ASSOC_ASKED = "id,parentid,lft,rgt,cluster,account,user,partition,share,parentname,def qos,qos"
_LIMITS = (
    *("Priority", "GrpJobs", "GrpTRES", "GrpSubmit", "GrpWall", "GrpTRESMins", "GrpTRESRunMins", "MaxJobs"),
    *("MaxTRES", "MaxTRESPerNode", "MaxSubmit", "MaxWall", "MaxTRESMins"),
)
_SHORT_SSHARE = ("Account", "User", "RawShares", "NormShares", "RawUsage", "EffectvUsage", "FairShare")
_SQUEUE_FORM = "%i|%j|%u|%a|%P|%q|%t|%T|%M|%l|%L|%C|%D|%Q|%S|%e|%V|%R"
_SPRIO_L = "%i|%r|%u|%Y|%S|%A|%B|%F|%J|%P|%Q|%N|%T"
_SPRIO_FORM = "%i|%r|%u|%Y|%a|%f|%j|%p|%q|%t|%N"
_SPRIO_NAMES = dict(
    zip(
        "iruYSABFJPQNTabfjpqt",
        (
            *("JOBID", "PARTITION", "USER", "PRIORITY", "SITE", "AGE", "ASSOC", "FAIRSHARE"),
            *("JOBSIZE", "PARTITION", "QOS", "NICE", "TRES"),
            *("AGE", "ASSOC", "FAIRSHARE", "JOBSIZE", "PARTITION", "QOS", "TRES"),
        ),
        strict=True,
    )
)
_ALIASES = {"fairshare": "share", "defaultqos": "def qos", "defqos": "def qos"}


class UnknownCallError(Exception):
    """Nothing here answers this call."""


def answer(folder: Path, tool: str, argv: Sequence[str]) -> int:
    """Answer a call that no rule is for; the exit status."""
    if "-V" in argv or "--version" in argv:
        return _write(VERSION + "\n")
    try:
        return _TOOLS[tool](folder, list(argv))
    except (UnknownCallError, KeyError) as error:
        sys.stderr.write(f"fake {tool}: no answer was set for {' '.join(argv)!r} ({error})\n")
        return NOT_KNOWN


def associations(folder: Path) -> Table:
    """The tree as it stands: as captured, with the shares that were set since."""
    table = read_table(_captured("plain/assoc-ids.psv"), _ASSOC_ASKED.split(","))
    kept = folder / "shares.txt"
    new = dict(line.rsplit(" ", 1) for line in kept.read_text().splitlines()) if kept.exists() else {}
    for row in table.rows:
        row["share"] = new.get(f"{row['account']} {row['user']}", row["share"])
    return table


def _sacctmgr(folder: Path, argv: list[str]) -> int:
    words = [word for word in argv if not word.startswith("-")]
    match words:
        case ["show" | "list", "assoc" | "associations" | "association", *_]:
            return _show_assoc(folder, argv, words[2:])
        case ["show" | "list", "cluster" | "clusters", "format=cluster"]:
            return _write(
                read_table("lab\n", ["cluster"]).text({"cluster": "Cluster"}, "n" not in _flags(argv))
            )
        case ["show" | "list", "cluster" | "clusters", "format=cluster,tres"]:
            return _write("lab|cpu=32,mem=4000M,node=4,billing=32\n")
        case ["show" | "list", "user" | "users", *_] if words[-1] == "format=user,defaultaccount":
            return _show_defaults(words)
        case ["show" | "list", "qos"]:
            return _write(_captured("plain/qos.psv"))
        case ["modify" | "update", "account" | "user", *_]:
            return _modify(folder, argv, words[1], words[2:])
    raise UnknownCallError("show assoc, show cluster format=cluster and modify ... set fairshare= are known")


def _show_assoc(folder: Path, argv: list[str], words: list[str]) -> int:
    if "P" not in _flags(argv):
        raise UnknownCallError("only with -P")
    table = associations(folder)
    by_name = {name.lower(): name for name in (*_ASSOC.split("|"), *_LIMITS)}
    asked = _value(words, "format", "Cluster,Account,User,Partition,Share")
    names = [_ALIASES.get(name.lower(), name.lower()) for name in asked.split(",")]
    if strange := [name for name in names if name not in by_name]:
        raise UnknownCallError(f"columns {strange}")
    for key in ("account", "user", "cluster"):
        if wanted := _value(words, key, _value(words, key + "s", "")):
            table.rows[:] = [row for row in table.rows if row[key] in wanted.split(",")]
    if "tree" in words:
        _indent(table)
    return _write(table.text({name: by_name[name] for name in names}, "n" not in _flags(argv)))


def _show_defaults(words: list[str]) -> int:
    """Default accounts as the captured dump has them."""
    pattern = re.compile(r"^User - '(.*?)':DefaultAccount='(.*?)'", re.MULTILINE)
    asked = [name for name in _value(words, "name", "").split(",") if name]
    found = dict(pattern.findall(_captured("plain/dump.cfg")))
    return _write("".join(f"{user}|{found[user]}\n" for user in sorted(found) if not asked or user in asked))


def _indent(table: Table) -> None:
    depth: dict[str, int] = {"0": -1}
    for row in table.rows:
        depth[row["id"]] = depth.get(row["parentid"], -1) + 1
        row["account"] = " " * depth[row["id"]] + row["account"]


def _modify(folder: Path, argv: list[str], kind: str, words: list[str]) -> int:
    """Set shares, and say so; without -i sacctmgr asks, for ever where nobody answers."""
    new = _value(words, "fairshare", "")
    if not new:
        raise UnknownCallError("of modify, only set fairshare= is known")
    names = _value(words, "name", "").split(",")
    account = _value(words, "account", _value(words, "accounts", ""))
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        table = associations(folder)
        chosen = [row for row in table.rows if _is_meant(row, kind, names, account)]
        if not chosen:
            _write(" Nothing modified\n")
            return 1
        _write(f" Modified {kind} associations...\n{''.join(_line_of(row) for row in chosen)}")
        if "i" not in _flags(argv) and not _is_wanted():
            return _write(" Changes Discarded\n")
        for row in chosen:
            row["share"] = new
        lines = "".join(f"{row['account']} {row['user']} {row['share']}\n" for row in table.rows)
        (folder / "shares.tmp").write_text(lines)
        (folder / "shares.tmp").replace(folder / "shares.txt")
    return 0


def _is_meant(row: dict[str, str], kind: str, names: list[str], account: str) -> bool:
    if kind == "account":
        return not row["user"] and row["account"] in names
    return row["user"] in names and account in ("", row["account"])


def _line_of(row: dict[str, str]) -> str:
    if row["user"]:
        return f"  C = {row['cluster']:<10} A = {row['account']:<20} U = {row['user']:<9}\n"
    return f"  C = {row['cluster']:<10} A = {row['account']} of {row['parentname'] or 'root'}\n"


def _is_wanted() -> bool:
    _write("Would you like to commit changes? (You have 30 seconds to decide)\n(N/y): ")
    while (line := sys.stdin.readline().strip().lower()) not in ("y", "n"):
        _write("Y or N please\n(N/y): ")
    return line == "y"


def _sshare(folder: Path, argv: list[str]) -> int:
    flags = _flags(argv)
    if "P" not in flags:
        raise UnknownCallError("only with -P")
    table = read_table(_captured("running.psv"))
    new = {(row["account"], row["user"]): row["share"] for row in associations(folder).rows}
    for row in table.rows:
        if row["RawShares"]:
            row["RawShares"] = new[row["Account"].strip(), row["User"]]
        row["Partition"] = ""
    if "a" not in flags:
        me = os.environ.get("USER", "root")
        table.rows[:] = [row for row in table.rows if row["User"] in ("", me)]
    usual = table.names if "l" in flags else _SHORT_SSHARE
    by_name = {name.lower(): name for name in (*table.names, "Partition")}
    if accounts := _option(argv, "-A", "--accounts"):
        table.rows[:] = [row for row in table.rows if row["Account"].strip() in accounts.split(",")]
    wanted = _option(argv, "-o", "--format")
    names = [by_name[name.lower().split("%")[0]] for name in wanted.split(",")] if wanted else usual
    return _write(table.text({name: name for name in names}, "n" not in flags))


def _squeue(_folder: Path, argv: list[str]) -> int:
    if "--json" in argv:
        return _write(_captured("plain/squeue.json"))
    if form := _option(argv, "-O", "--Format"):
        return _write("".join(squeue_lines(_captured("plain/squeue.json"), form)))
    table = read_table(_captured("plain/squeue.psv"), _SQUEUE_FORM.split("|"))
    asked = _option(argv, "-o", "--format").split("|")
    if "h" not in _flags(argv):
        raise UnknownCallError("tables only with -h")
    return _write(table.text({name: name for name in asked}, has_header=False))


def _sprio(_folder: Path, argv: list[str]) -> int:
    if argv == ["-l"]:
        return _write(_captured("plain/sprio-l.txt"))
    table = read_table(_captured("plain/sprio.psv"), _SPRIO_FORM.split("|"))
    weighted = [line.split() for line in _captured("plain/sprio-l.txt").splitlines()[1:]]
    for row, words in zip(table.rows, weighted, strict=True):
        row |= dict(zip(_SPRIO_L.split("|"), [*words, ""], strict=True)) | {"%b": "0.0000000"}
    if wanted := _option(argv, "-j", "--jobs"):
        table.rows[:] = [row for row in table.rows if row["%i"] in wanted.split(",")]
        if not table.rows:
            return _write("Unable to find jobs matching user/id(s) specified\n")
    asked = {name: _SPRIO_NAMES[name[1:]] for name in _option(argv, "-o", "--format").split("|")}
    return _write(table.text(asked, "h" not in _flags(argv)))


_IN_FORCE = """\
Current Association Manager state
QOS Records
QOS=normal(1) UsageRaw=0.000000 GrpJobs=N(2) GrpTRES=cpu=N(4) Account Limits=No Accounts User Limits=No Users
"""


def _scontrol(_folder: Path, argv: list[str]) -> int:
    words = [word.lower() for word in argv if not word.startswith("-")]
    one_line = "oneline-" if "o" in _flags(argv) else ""
    match words:
        case ["ping"]:
            return _write("Slurmctld(primary) at localhost is UP\n")
        case ["show", "config"]:
            return _write(_captured("plain/scontrol-show-config.txt"))
        case ["show", "partition" | "partitions"] if not one_line:
            return _write(_captured("plain/scontrol-show-partition.txt"))
        case ["show", "node" | "nodes"]:
            nodes = _captured("plain/scontrol-show-node.txt")
            return _write(in_one_line(nodes) if one_line else nodes)
        case ["show", "assoc_mgr", "flags=qos"] if one_line:
            return _write(_IN_FORCE)
        case ["show", "reservation" | "reservations"]:
            return _write("No reservations in the system\n")
        case ["show", "job" | "jobs"]:
            return _write(_captured(f"odd/scontrol-show-job{'-oneline' if one_line else ''}.txt"))
        case ["update" | "suspend" | "resume" | "hold" | "release" | "requeue", *_]:
            return 0
    raise UnknownCallError("ping, show config, partition, node, job and actions on jobs are known")


def _scancel(_folder: Path, argv: list[str]) -> int:
    if not argv:
        sys.stderr.write("scancel: error: No job identification provided\n")
        return 1
    return 0


def _sinfo(_folder: Path, argv: list[str]) -> int:
    if "N" in _flags(argv) and (form := _option(argv, "-o", "--format")):
        return _write("".join(sinfo_lines(_captured("plain/sinfo.txt"), form)))
    if not {"N", "l"} <= _flags(argv):
        raise UnknownCallError("only with -Nl, or -N -o")
    return _write(_captured("plain/sinfo.txt"))


def _sacct(_folder: Path, argv: list[str]) -> int:
    delimiter = _option(argv, "--delimiter", "--delimiter")
    if "-a" not in argv or ("-p" if delimiter else "-P") not in argv:
        raise UnknownCallError("only -a -P, and -a -p --delimiter are known")
    text = _captured("finished/sacct.psv")
    return _write(as_delimited(text, delimiter) if delimiter else text)


_TOOLS: dict[str, Callable[[Path, list[str]], int]] = {
    "sacctmgr": _sacctmgr,
    "sshare": _sshare,
    "squeue": _squeue,
    "sprio": _sprio,
    "scontrol": _scontrol,
    "scancel": _scancel,
    "sinfo": _sinfo,
    "sacct": _sacct,
}
TOOLS = tuple(_TOOLS)


def _captured(name: str) -> str:
    return (_CAPTURES / name).read_text(encoding="utf-8")


def _write(text: str) -> int:
    sys.stdout.write(text)
    return 0


def _flags(argv: Sequence[str]) -> set[str]:
    """The letters of short options, together or apart; of long ones those that have such a letter."""
    long = {"--noheader": "n", "--parsable2": "P", "--immediate": "i", "--all": "a", "--long": "l"}
    letters = {letter for word in argv if word[:1] == "-" and word[1:2] != "-" for letter in word[1:]}
    return letters | {long[word] for word in argv if word in long}


def _option(argv: Sequence[str], short: str, long: str) -> str:
    """The value of an option: behind a blank, or in the same word."""
    for place, word in enumerate(argv):
        if word in (short, long):
            return argv[place + 1]
        for name in (short, long + "="):
            if word.startswith(name) and not (name == short and word.startswith("--")):
                return word[len(name) :]
    return ""


def _value(words: Sequence[str], key: str, otherwise: str) -> str:
    """What stands behind `key=`; the last one where it is said twice."""
    for word in reversed(words):
        name, equals, value = word.partition("=")
        if equals and name.lower() == key:
            return value
    return otherwise
