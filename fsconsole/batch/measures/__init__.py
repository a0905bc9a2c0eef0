"""The paper's measures: entitled shares and deviation, waits and slowdowns, users, days and its tables."""
