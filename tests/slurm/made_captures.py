"""Capture folders of trees that are made: the example's, with another tree, usage and rule in them."""

from __future__ import annotations

import math
import re
import shutil
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np

from fsconsole.resources import resource
from fsconsole.shares.foreign import PARENT_SHARES
from fsconsole.slurm.associations import Associations
from fsconsole.slurm.classic import normalised_usage
from fsconsole.slurm.fairshare import fairshare_of
from fsconsole.targets.slurm.reading import LIMITS

_HEAD = "Account|User|Partition|RawShares|NormShares|RawUsage|NormUsage|EffectvUsage|FairShare|LevelFS"


def made_tree(seed: int) -> Associations:
    """Return accounts three levels deep with users; some shares are 0 or `parent`, some usage is 0."""
    random = Random(seed)
    account, user, parent = ["root", "root"], ["", "root"], [-1, 0]
    for top in range(3):
        over = _add(account, user, parent, (f"g{top}", "", 0))
        for inner in range(2):
            below = _add(account, user, parent, (f"a{top}{inner}", "", over))
            for person in range(random.randint(1, 4)):
                _add(account, user, parent, (f"a{top}{inner}", f"u{person}", below))
        _add(account, user, parent, (f"g{top}", f"v{top}", over))
    rows = len(account)
    kinds = (0, PARENT_SHARES, *range(1, 9))
    shares = np.array([0, 1, *(random.choice(kinds) for _ in range(rows - 2))])
    usage = np.array([float(random.choice((0, random.randrange(5000)))) if name else 0.0 for name in user])
    return Associations(tuple(account), tuple(user), np.array(parent), shares, _summed(usage, parent))


def made_capture(
    folder: Path, tree: Associations, *, by_rank: bool = False, damping: int = 1, has_moved_on: bool = False
) -> Path:
    """Write a capture; usage of the users of a tree with `has_moved_on` grew since sshare's other columns."""
    shutil.copytree(resource("slurm-capture"), folder)
    settings = (folder / "settings.txt").read_text(encoding="utf-8")
    if by_rank:
        settings = settings.replace("= NO_FAIR_TREE", "= ")
    factor = re.sub(r"(?m)^(FairShareDampeningFactor = ).*$", rf"\g<1>{damping}", settings)
    (folder / "settings.txt").write_text(factor, encoding="utf-8")
    (folder / "usage.txt").write_text(_sshare(tree, by_rank, damping, has_moved_on), encoding="utf-8")
    (folder / "tree.txt").write_text(assoc_lines(tree), encoding="utf-8")
    return folder


def _sshare(tree: Associations, by_rank: bool, damping: int, has_moved_on: bool) -> str:
    norm = normalised_usage(tree)
    found = fairshare_of(replace(tree, usage=norm), float(damping), by_rank=by_rank)
    raw = tree.usage
    if has_moved_on:
        own = np.where(tree.is_user & (raw > 0), 1.0 + np.arange(len(raw)) * 40.0, 0.0)
        raw = raw + _summed(own, tree.parent.tolist())
    lines, depth = [_HEAD], tree.depths()
    for row, (account, user) in enumerate(zip(tree.account, tree.user, strict=True)):
        shares = "" if not row else "parent" if tree.shares[row] == PARENT_SHARES else str(tree.shares[row])
        used = _number(norm[row]) if row else ""
        columns = (found.effective_usage, found.fairshare, found.level_fs)
        rest = "|".join(_number(float(column[row])) for column in columns)
        norm_shares = _number(float(found.norm_shares[row]))
        lines.append(
            f"{' ' * depth[row]}{account}|{user}||{shares}|{norm_shares}|{int(raw[row])}|{used}|{rest}"
        )
    return "".join(f"{line}\n" for line in lines)


def _number(value: float) -> str:
    return "" if math.isnan(value) else "inf" if math.isinf(value) else f"{value:.6f}"


def assoc_lines(tree: Associations) -> str:
    """Return the output of sacctmgr for the associations of a tree."""
    lines = []
    for row, (account, user) in enumerate(zip(tree.account, tree.user, strict=True)):
        above = int(tree.parent[row])
        over = tree.account[above] if above >= 0 and not user else ""
        shares = tree.shares[row] if row else 1
        lines.append(f"{row + 1}|{above + 1}|testlab|{account}|{user}||{shares}|{over}{'|' * len(LIMITS)}\n")
    return "".join(lines)


def _add(account: list[str], user: list[str], parent: list[int], row: tuple[str, str, int]) -> int:
    account.append(row[0])
    user.append(row[1])
    parent.append(row[2])
    return len(account) - 1


def _summed(own: np.ndarray, parent: list[int]) -> np.ndarray:
    usage = own.copy()
    for row in range(len(usage) - 1, 0, -1):
        usage[parent[row]] += usage[row]
    return usage
