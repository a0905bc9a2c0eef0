"""Recorded runs: another way from an instant of one, and what differs between two"""
