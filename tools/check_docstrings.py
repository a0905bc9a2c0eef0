"""Refuse public docstrings that leave out shapes of arrays or errors, or that are telegraphic.

A function that takes or returns an array names its shape in brackets: `[users]`, `[nodes, k]`, `[...]` for
any. A function that raises an error itself names it. A docstring is a sentence of its own: it has four words
or more, and does not say "the same" of what stands elsewhere. That of a function begins with a verb and
returns a noun, not a clause such as "what", in tests too; that of a property is a noun.
"""

from __future__ import annotations

import ast
import builtins
import re
import sys
from collections.abc import Iterator
from pathlib import Path

_ROOT = Path(__file__).resolve().parent.parent
_PACKAGE, _TESTS = _ROOT / "fsconsole", _ROOT / "tests"
_ARRAY = re.compile(r"\b(?:Ints|Floats|Bools|NDArray|ndarray)\b")
_SHAPE = re.compile(r"\[[^\]]+\]|\bshape\b")
_TELEGRAPHIC = re.compile(r"(?:Those|The same|Return the same|See above)\b|As `")
_FEWEST_WORDS = 4
# These begin no imperative: determiners, prepositions, question words, code, a noun with "of", an error.
_NO_VERB = re.compile(
    r"(?:A|After|All|An|Another|Any|As|At|Because|Before|Below|Both|By|Each|Every|Everything|For|From|Here|How|If"
    r"|In|Its|No|None|Nothing|Of|On|One|Only|Other|Since|So|Some|Such|That|The|Their|There|These|This|Those|Three"
    r"|To|Two|Until|What|When|Where|Whether|Which|Who|Whoever|Whom|Whose|With|Without)\b"
    r"|[(`]|\w*Error\b|(?!Warn |Tell |Dispose |Think )[A-Z]\w+ of\b"
)
_CLAUSE = re.compile(
    r"(?:Return|Yield|Give) (?:what|whether|which|who|whom|whose|how|why|where|when)\b", re.IGNORECASE
)
# Numba compiles functions with this decorator: only compiled loops call them, and arrays there have no
# annotations.
_COMPILED = "compiled"
# Docstrings of commands are the help that users read; the errors are answers to them, see `cli/errors.py`.
_COMMANDS = re.compile(r"(?:click|\w+)\.(?:command|group)\b|\bcommand\b")
# Commands of the machine's shell have these arguments; `Command.do` says once how all of them refuse.
_SHELL = ["session", "options"]
# A method that is not there raises this.
_ABSTRACT = "NotImplementedError"

Function = ast.FunctionDef | ast.AsyncFunctionDef


def faults() -> list[str]:
    """Return the faults, a line each."""
    found = []
    for path in (*sorted(_PACKAGE.rglob("*.py")), *sorted(_TESTS.rglob("*.py"))):
        text = path.read_text("utf-8")
        wrong = [*(faults_in(text) if path.is_relative_to(_PACKAGE) else ()), *clauses_in(text)]
        found += [f"{path.relative_to(_ROOT)}: {fault}" for fault in wrong]
    return found


def clauses_in(text: str) -> list[str]:
    """Return a message for each docstring of a module that returns a clause in place of a noun."""
    docs = re.findall(r'"""(.*)', text)
    return [f"{doc!r} returns a clause, write a noun or True if" for doc in docs if _CLAUSE.match(doc)]


def faults_in(text: str) -> Iterator[str]:
    """Yield the faults in the text of a module.

    Parsing all modules takes some seconds: only what a search finds suspicious is parsed. The formatter puts
    two blank lines before each function and class of a module, and one before each method.
    """
    for block in text.split("\n\n\n"):
        pieces = re.split(r"\n\n(?=    (?:@|def |async def ))", block)
        if any(_is_suspicious(piece) for piece in pieces):
            for node in ast.parse(block).body:
                yield from _faults_of(node)


def _is_suspicious(piece: str) -> bool:
    """Return True if a function in source may have a fault."""
    if not re.search(r"^ *(?:async )?def [^_]", piece, re.MULTILINE):
        return False
    head, _, rest = piece.partition('"""')
    doc = rest.partition('"""')[0]
    return (
        (_ARRAY.search(head) is not None and not _SHAPE.search(doc))
        or any(name not in doc for name in re.findall(r"\braise ([A-Z]\w*)", piece))
        or (rest != "" and (_is_telegraphic(doc) or _NO_VERB.match(doc) is not None))
    )


def _is_telegraphic(doc: str) -> bool:
    return _TELEGRAPHIC.match(doc) is not None or len(doc.partition("\n\n")[0].split()) < _FEWEST_WORDS


def _faults_of(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
        for inner in node.body:
            if isinstance(inner, Function):
                yield from (f"{node.name}.{fault}" for fault in _faults_of(inner))
    elif isinstance(node, Function) and not node.name.startswith("_"):
        decorators = [ast.unparse(decorator) for decorator in node.decorator_list]
        doc = ast.get_docstring(node)
        if doc is None or any(_COMPILED in name for name in decorators):
            return
        if _is_telegraphic(doc):
            yield f"{node.name}: {doc.splitlines()[0]!r} is not a sentence of its own"
        if _NO_VERB.match(doc) and not any("property" in name for name in decorators):
            yield f"{node.name}: {doc.splitlines()[0]!r} does not begin with a verb"
        if _ARRAY.search(_annotations(node)) and not _SHAPE.search(doc):
            yield f"{node.name}: name the shapes of arrays, such as [users]"
        is_command = any(_COMMANDS.match(name) for name in decorators)
        if is_command or [argument.arg for argument in node.args.args] == _SHELL:
            return
        for error in sorted(_raised(node.body, frozenset())):
            if not _is_named(error, doc):
                yield f"{node.name}: name {error} and when it is raised"


def _annotations(node: Function) -> str:
    arguments = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
    found = [argument.annotation for argument in arguments] + [node.returns]
    return " ".join(ast.unparse(one) for one in found if one is not None)


def _raised(body: list[ast.stmt], caught: frozenset[str]) -> set[str]:
    """Return public errors that statements raise and do not catch themselves."""
    found: set[str] = set()
    for node in body:
        if isinstance(node, ast.Raise) and node.exc is not None:
            name = ast.unparse(node.exc).partition("(")[0]
            found |= {name} if name[0].isupper() and name not in {*caught, _ABSTRACT} else set()
        elif isinstance(node, ast.Try):
            names = {name.id for handler in node.handlers for name in _names(handler.type)}
            found |= _raised(node.body, caught | names)
            for part in (node.orelse, node.finalbody, *(handler.body for handler in node.handlers)):
                found |= _raised(part, caught)
        else:
            for part in (node, *getattr(node, "cases", ())):
                for name in ("body", "orelse"):
                    found |= _raised(getattr(part, name, []), caught)
    return found


def _names(kind: ast.expr | None) -> list[ast.Name]:
    return [] if kind is None else [node for node in ast.walk(kind) if isinstance(node, ast.Name)]


def _is_named(error: str, doc: str) -> bool:
    """Return True if a docstring names an error, or for one of Python's what it is a kind of."""
    kind = getattr(builtins, error, None)
    kinds = kind.__mro__[:-3] if isinstance(kind, type) else ()
    return error in doc or any(one.__name__ in doc for one in kinds)


def main() -> int:
    """Print what is wrong and return 1, or 0."""
    wrong = faults()
    print("\n".join(wrong), end="\n" if wrong else "")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
