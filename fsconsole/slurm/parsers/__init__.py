"""Parsers of Slurm's tools: their output as plain data, whatever columns other versions add or leave out."""
