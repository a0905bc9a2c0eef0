"""Share trees as a person edits them: shares that are typed, rows that are pasted, nodes that are moved."""
