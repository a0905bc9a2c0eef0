"""The Operate workspace: what operators watch, and what they do about it."""
