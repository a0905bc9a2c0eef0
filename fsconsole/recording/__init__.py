"""Recordings: samples, runs on disk, logs. This room does not depend on the machine that it records."""
