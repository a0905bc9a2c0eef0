"""Share trees: their edits, the arithmetic of entitlement, scenario files and foreign formats.

The ground floor of the house: it imports nothing of fsconsole but itself.
"""
