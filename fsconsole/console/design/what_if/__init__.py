"""What if: who gets what when some cannot use what they are entitled to."""

from __future__ import annotations
