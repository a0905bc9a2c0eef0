"""Write the golden files of texts, or `--check` that they are as the source has them, and tests name them."""

from __future__ import annotations

import sys

from tools.texts.golden import FOLDER, all_golden, golden_file, stale_lines
from tools.texts.used_keys import wrong_keys


def main() -> int:
    """Renew or check; return the exit status."""
    if "--check" in sys.argv[1:]:
        stale = stale_lines()
        sys.stderr.write("".join(f"{line}\n" for line in stale))
        if stale:
            sys.stderr.write("Texts changed. Run `make texts` and read the difference.\n")
        wrong = [*wrong_keys(FOLDER.parent)]
        sys.stderr.write("".join(f"{line}\n" for line in wrong))
        return int(bool(stale or wrong))
    FOLDER.mkdir(exist_ok=True)
    files = all_golden()
    for path in FOLDER.glob("*.txt"):
        if path.stem not in files:
            path.unlink()
    for room, text in files.items():
        golden_file(room).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
