"""How the console looks: colours, type, icons, numbers and the style that draws them."""

from __future__ import annotations
