"""Comments in scenario files: which of them a rewritten file would not have."""

from __future__ import annotations

from fsconsole.shares.scenario.read import header_of


def lost_comments(old_text: str) -> list[int]:
    """Line numbers, from 1, of the comments below the header: writing the file again would lose them."""
    header = header_of(old_text)
    first = header.count("\n") + 1
    body = old_text.removeprefix("\ufeff")[len(header) :]
    if "#" not in body:
        return []
    return [first + row for row in _comment_rows(body)]


def _comment_rows(text: str) -> list[int]:
    """Rows of what stands after a # between the tokens; of all # where the text is no YAML."""
    import yaml

    scanner = yaml.CSafeLoader(text)
    found: list[int] = []
    at = 0
    try:
        while (token := scanner.get_token()) is not None:
            start, end = token.start_mark.index, token.end_mark.index
            found += _signs(text, at, start)
            if text[start : start + 1] in ("|", ">"):  # a block's first line may end in a comment
                found += _signs(text, start, text.find("\n", start, end))
            at = max(at, end)
    except yaml.YAMLError:
        return sorted({text.count("\n", 0, sign) for sign in _signs(text, 0, len(text))})
    found += _signs(text, at, len(text))
    return sorted({text.count("\n", 0, sign) for sign in found})


def _signs(text: str, start: int, end: int) -> list[int]:
    """Where comments begin between two places: at most one a line."""
    signs = []
    while (sign := text.find("#", start, end)) >= 0:
        signs.append(sign)
        after = text.find("\n", sign, end)
        start = end if after < 0 else after
    return signs
