"""Branches of the run in Observe: what is changed at an instant, the tree of them, the one that is shown"""
