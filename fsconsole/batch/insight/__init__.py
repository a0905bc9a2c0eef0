"""Why a schedule is as it is: why a job waits, who lost reservations, which users suffer, what differs.

Everything here looks at a finished `Schedule` and changes nothing.
"""
