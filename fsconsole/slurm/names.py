"""Names of accounts and users in Slurm, and names that sacctmgr does not accept unchanged.

Source: tried with sacctmgr of Slurm 22.05.8. It takes blanks, `=`, `+`, `/` and letters of any alphabet; it
parts lists of names at commas and brackets, makes quotes into backquotes, and keeps all in lower case. A user
with a backslash in the name killed slurmdbd.
"""

from __future__ import annotations

from fsconsole.slurm.cluster_tree import Key

ROOT = "root"
_PARTING = ",[]"
_QUOTES = "'\"`"
_SHELL = ";&<>()$*?!~#{}^"
_LONGEST_BYTES = 255  # The database truncates longer names.


def in_words(key: Key) -> str:
    """Return an association as a person names it: `hep`, or `fs_anna in hep`; a QOS is `QOS high`."""
    account, user, partition = key
    if not account:
        return user or f"QOS {partition}"
    named = f"{user} in {account}" if user else account
    return f"{named} (partition {partition})" if partition else named


def problem_of(name: str, *, may_be_upper: bool = False) -> str:
    """Return the reason why sacctmgr refuses this name, with a valid one; empty if it is accepted."""
    parting = [sign for sign in _PARTING if sign in name]
    if parting:
        return f"{parting[0]} is not allowed in a name: sacctmgr takes it as the end of the name"
    if any(sign in name for sign in _QUOTES):
        return "quotes are not allowed in a name: sacctmgr drops them"
    shell = next((sign for sign in name if sign in _SHELL or (sign != " " and not sign.isprintable())), "")
    if shell:
        shown = shell if shell.isprintable() else f"U+{ord(shell):04X}"
        return f"{shown} is not allowed in a name: a shell before sacctmgr would interpret it"
    if name.startswith("-"):
        return "a name cannot begin with -: sacctmgr takes it for an option"
    if "\\" in name:
        return "a backslash is not allowed in a name: slurmdbd crashes on it"
    if "|" in name:
        return "| is not allowed in a name: sacctmgr uses it as column separator"
    if name != name.strip():
        return "a name cannot begin or end with a blank"
    if name != name.lower() and not may_be_upper:
        return f"Slurm stores names in lower case. Write {name.lower()}"
    if len(name.encode()) > _LONGEST_BYTES:
        return f"Slurm stores only {_LONGEST_BYTES} bytes of a name. Make it shorter"
    return ""
