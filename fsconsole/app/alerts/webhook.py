"""A webhook's call over HTTP. Its libraries take time and memory, so it is imported at the first call."""

from __future__ import annotations

import urllib.error
import urllib.request
from collections.abc import Mapping
from http.client import HTTPException, InvalidURL
from typing import Any
from urllib.parse import urlsplit

from fsconsole.app.alerts.channels import DeliveryError, line_of


def post(url: str, data: bytes, headers: Mapping[str, str], limit_s: float) -> None:
    """Post JSON to a checked address; redirections are not followed.

    Raises:
        DeliveryError: the address cannot be reached within `limit_s`, or refuses it.
    """
    where = urlsplit(url).netloc.rpartition("@")[2]
    headers = {"Content-Type": "application/json", **headers}
    request = urllib.request.Request(url, data, headers, method="POST")  # noqa: S310 (http or https: checked)
    try:
        with urllib.request.build_opener(_NoRedirect).open(request, timeout=limit_s):
            pass
    except urllib.error.HTTPError as error:
        error.close()
        msg = f"The webhook for alerts was refused by {where}: {error.code} {line_of(error.reason)}."
        raise DeliveryError(msg) from error
    except InvalidURL as error:
        msg = f"The webhook for alerts cannot be called: {line_of(str(error))}."
        raise DeliveryError(msg) from error
    except HTTPException as error:  # The answer makes no sense, so the alert has been sent.
        msg = f"The webhook for alerts got no valid answer from {where}: {line_of(str(error))}."
        raise DeliveryError(msg, is_final=True) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        reason = getattr(reason, "strerror", None) or reason
        msg = f"The webhook for alerts cannot reach {where}: {line_of(str(reason))}."
        raise DeliveryError(msg) from error


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any, **__: Any) -> None:
        """Follow no redirect: an alert is delivered to its configured address alone."""
        return
