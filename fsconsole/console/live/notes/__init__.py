"""Notes on the run in Observe: their table, the dialog that writes them, and ways to them"""
