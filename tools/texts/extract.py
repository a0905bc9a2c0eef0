"""Read the texts of the program out of its source: each string of three words or more, with its slots."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "fsconsole"
# Code, expressions and layouts of tables have no run of three words or slots with a blank between each.
_WORD = r"[(\"“«'‘]?(?:[^\W_]|\{\w+\}|[&$*×=<>~+-]\{?\w)[\w{}'’*×=<>/.:%&@+-]*"
_PROSE = re.compile(rf"{_WORD}[,;:.)%!?\"”»'’]*[ \u00a0]{_WORD}[,;:.)%!?\"”»'’]*[ \u00a0]{_WORD}")
_LETTERS = re.compile(r"[^\W\d_]{2}")
_SLOT = re.compile(r"\{(?:[a-z_]+\.)*([a-z_][a-z0-9_]*)\}")
_NAMED = re.compile(r"\{\w+\}")
_NO_TEXT_IN = frozenset(
    {"compile", "fullmatch", "match", "search", "sub", "split", "TypeVar", "cast", "startswith"}
)


@dataclass(frozen=True)
class Text:
    """One text of a module.

    Attributes:
        module: dotted name of the module below its room; empty for the room's own `__init__`.
        template: the text with slots in braces; other braces are doubled.
        line: line of the source that it begins in.
    """

    module: str
    template: str
    line: int


def rooms() -> dict[str, list[Path]]:
    """Return the modules of each room, a folder of the package, by the room's dotted name."""
    found: dict[str, list[Path]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        room = ".".join(path.parent.relative_to(PACKAGE).parts) or "fsconsole"
        found.setdefault(room, []).append(path)
    return found


def texts_of(path: Path) -> list[Text]:
    """Return the texts of a module in the order of its source."""
    return [
        Text(path.stem, template, line)
        for template, line in _texts(ast.parse(path.read_text(encoding="utf-8")))
    ]


def _texts(node: ast.AST) -> Iterator[tuple[str, int]]:
    if isinstance(node, ast.expr) and (template := _template(node)) is not None:
        if _PROSE.search(template) and _LETTERS.search(_NAMED.sub("", template)):
            yield template, node.lineno
        for slot in _slots(node):
            yield from _texts(slot)
        return
    children = list(ast.iter_child_nodes(node))
    if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        children = [child for child in children if not _is_docstring(child)]
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.AnnAssign | ast.arg):
        children = [
            child
            for child in children
            if child not in (getattr(node, "annotation", None), getattr(node, "returns", None))
        ]
    if isinstance(node, ast.Call) and _name(node.func) in _NO_TEXT_IN:
        children = [node.func]
    for child in children:
        yield from _texts(child)


def _template(node: ast.expr) -> str | None:
    """Return a string with names for its slots, each once; None for what is not a string."""
    taken: dict[str, int] = {}
    parts = _parts(node, taken)
    return None if parts is None else "".join(parts)


def _parts(node: ast.expr, taken: dict[str, int]) -> list[str] | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [_escaped(node.value, taken)]
    if isinstance(node, ast.JoinedStr):
        return [
            "{" + _once(_slot_name(part.value), taken) + "}"
            if isinstance(part, ast.FormattedValue)
            else str(getattr(part, "value", "")).replace("{", "{{").replace("}", "}}")
            for part in node.values
        ]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _parts(node.left, taken), _parts(node.right, taken)
        if left is not None and right is not None:
            return left + right
    return None


def _escaped(value: str, taken: dict[str, int]) -> str:
    """Return a plain string: `{name}` in it is a slot that `format` fills."""
    pieces, end = [], 0
    for found in _SLOT.finditer(value):
        pieces += [value[end : found.start()].replace("{", "{{").replace("}", "}}"), f"{{{found[1]}}}"]
        taken.setdefault(found[1], 1)
        end = found.end()
    return "".join([*pieces, value[end:].replace("{", "{{").replace("}", "}}")])


def _slots(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.JoinedStr):
        yield from (part.value for part in node.values if isinstance(part, ast.FormattedValue))
    elif isinstance(node, ast.BinOp):
        yield from _slots(node.left)
        yield from _slots(node.right)


def _slot_name(node: ast.expr) -> str:
    """Return the last word of what fills a slot; of a call, that of its first argument."""
    if isinstance(node, ast.Name):
        return node.id.strip("_").lower() or "value"
    if isinstance(node, ast.Attribute):
        return node.attr.strip("_").lower()
    if isinstance(node, ast.Call):
        named = [name for one in node.args if (name := _slot_name(one)) != "value"]
        if isinstance(node.func, ast.Attribute) and not named:
            inner = _slot_name(node.func.value)
            return (
                inner
                if inner not in ("value", "text", "words", "numbers", "durations")
                else node.func.attr.strip("_").lower()
            )
        return named[0] if named else _name(node.func).strip("_").lower()
    if isinstance(node, ast.Subscript):
        return _slot_name(node.value)
    if isinstance(node, ast.BinOp):
        left = _slot_name(node.left)
        return left if left != "value" else _slot_name(node.right)
    if isinstance(node, ast.IfExp):
        body = _slot_name(node.body)
        return body if body != "value" else _slot_name(node.orelse)
    if isinstance(node, ast.Await | ast.Starred | ast.NamedExpr):
        return _slot_name(node.value)
    return "value"


def _once(name: str, taken: dict[str, int]) -> str:
    taken[name] = taken.get(name, 0) + 1
    return name if taken[name] == 1 else f"{name}_{taken[name]}"


def _is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
