"""Digests of texts, as short identities that people copy."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256

_SIGNS = 10


def short_digest(*parts: str | Sequence[object]) -> str:
    """Return ten hexadecimal digits that are others for other texts."""
    return sha256(json.dumps(parts).encode()).hexdigest()[:_SIGNS]
