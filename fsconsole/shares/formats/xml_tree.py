"""XML files as plain elements with their lines: comments stay, document types and entities are refused."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html import escape
from xml.parsers import expat

from fsconsole.shares.scenario.problems import Problem, ScenarioError
from fsconsole.text.numbers import thousands

_DEEPEST = 200
_MOST = 1_000_000
_INDENT = "  "
_DASHES = re.compile(r"-(?=-|$)")  # A comment cannot hold two dashes in a row, nor end with one.


@dataclass(slots=True)
class Comment:
    """A comment with its unchanged text."""

    text: str
    line: int = 0


@dataclass(slots=True)
class Element:
    """One element: attributes, and elements, comments and text in it."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Element | Comment | str] = field(default_factory=list)
    line: int = 0

    @property
    def elements(self) -> list[Element]:
        """The elements in it."""
        return [child for child in self.children if isinstance(child, Element)]

    @property
    def text(self) -> str:
        """Text of the element without that of elements inside."""
        return "".join(child for child in self.children if isinstance(child, str)).strip()

    @property
    def is_plain(self) -> bool:
        """True if the element contains only text."""
        return not self.attributes and all(isinstance(child, str) for child in self.children)


class _Parser:
    """Builds elements from expat's events."""

    def __init__(self) -> None:
        self.top = Element("")
        self._stack = [self.top]
        self._count = 0
        self._parser = expat.ParserCreate("utf-8")
        self._parser.ordered_attributes = True
        self._parser.buffer_text = True
        self._parser.StartDoctypeDeclHandler = self._refuse
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        self._parser.CommentHandler = self._comment

    def parse(self, text: str) -> None:
        # The text is decoded already, so the encoding in the declaration does not count.
        self._parser.Parse(text.encode("utf-8", "replace"), True)

    @property
    def line(self) -> int:
        return self._parser.CurrentLineNumber

    def _refuse(self, *_: object) -> None:
        fault = "a document type (<!DOCTYPE) is not allowed. Remove it"
        raise ScenarioError([Problem(fault, line=self.line, column=1)])

    def _start(self, tag: str, attributes: list[str]) -> None:
        self._count += 1
        if len(self._stack) > _DEEPEST or self._count > _MOST:
            fault = f"more than {_DEEPEST} levels or {thousands(_MOST)} elements, which is the limit"
            raise ScenarioError([Problem(fault, line=self.line, column=1)])
        pairs = dict(zip(attributes[::2], attributes[1::2], strict=True))
        made = Element(tag, pairs, line=self.line)
        self._stack[-1].children.append(made)
        self._stack.append(made)

    def _end(self, _: str) -> None:
        self._stack.pop()

    def _text(self, text: str) -> None:
        if text.strip():
            self._stack[-1].children.append(text)

    def _comment(self, text: str) -> None:
        self._stack[-1].children.append(Comment(text, self.line))


def read_xml(text: str) -> Element:
    """Return an element without a name that holds all of a file.

    Raises:
        ScenarioError: it is not XML.
    """
    parser = _Parser()
    try:
        parser.parse(text)
    except expat.ExpatError as error:
        fault = f"not valid XML: {expat.ErrorString(error.code)}"
        raise ScenarioError([Problem(fault, line=error.lineno, column=error.offset + 1)]) from None
    return parser.top


def xml_lines(item: Element | Comment | str, depth: int = 0) -> Iterator[str]:
    """Yield lines of an element; one that holds only text is a single line."""
    margin = _INDENT * depth
    if isinstance(item, str):
        yield margin + escape(item.strip(), quote=False)
    elif isinstance(item, Comment):
        yield f"{margin}<!--{_DASHES.sub('- ', item.text)}-->"
    else:
        start = f"{item.tag}{attribute_text(item.attributes)}"
        if not item.children:
            yield f"{margin}<{start}/>"
        elif all(isinstance(child, str) for child in item.children):
            yield f"{margin}<{start}>{escape(item.text, quote=False)}</{item.tag}>"
        else:
            yield f"{margin}<{start}>"
            for child in item.children:
                yield from xml_lines(child, depth + 1)
            yield f"{margin}</{item.tag}>"


def attribute_text(attributes: dict[str, str]) -> str:
    """Format attributes as in a start tag, each after a blank."""
    from xml.sax.saxutils import quoteattr  # Imports http and ssl: 6 MB, which files in XML alone need.

    return "".join(f" {key}={quoteattr(value)}" for key, value in attributes.items())


def raw(items: Iterable[Element | Comment | str]) -> str:
    """Return elements and comments as text, to be kept."""
    return "\n".join(line for item in items for line in xml_lines(item))


def parsed(text: str) -> list[Element | Comment | str]:
    """Return the value that `raw` wrote; the text itself where it is broken."""
    try:
        return read_xml(f"<kept>{text}</kept>").elements[0].children
    except ScenarioError:
        return [text]
