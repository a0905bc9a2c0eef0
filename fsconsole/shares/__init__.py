"""Share trees: their edits, the arithmetic of entitlement, scenario files and foreign formats.

It imports nothing of fsconsole but itself and `text`.
"""
