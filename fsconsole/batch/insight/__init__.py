"""Explanations of a schedule: reasons of waits, lost reservations, suffering users, differences.

Everything here reads a finished `Schedule` and changes nothing.
"""
