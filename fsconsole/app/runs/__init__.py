"""Recorded runs: branches from an instant of one, and differences between two"""
