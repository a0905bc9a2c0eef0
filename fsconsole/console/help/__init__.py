"""Help in the program: the pages of docs/, which of them F1 opens, the glossary, the keyboard."""

from __future__ import annotations
