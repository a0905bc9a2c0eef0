"""The Operate workspace: a near-dedicated night, and what an operator does about it."""
