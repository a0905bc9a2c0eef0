"""Who sits here, as the system knows him: what journals and audit logs call who acts."""

from __future__ import annotations

import getpass

NOBODY = "somebody"


def login_name() -> str:
    """The login name of the user who runs this program; `somebody` where the system does not tell."""
    try:
        return getpass.getuser() or NOBODY
    except (OSError, KeyError, ImportError):  # no such user, no variable that names one
        return NOBODY
