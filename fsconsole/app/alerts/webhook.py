"""A webhook's call over HTTP. Its libraries take time and memory, so it is imported at the first call."""

from __future__ import annotations

import socket
import urllib.error
import urllib.request
from collections.abc import Mapping
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection, InvalidURL
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

from fsconsole.app.alerts.channels import DeliveryError, line_of


def post(url: str, data: bytes, headers: Mapping[str, str], limit_s: float) -> None:
    """Post JSON to a checked address; redirections are not followed.

    Raises:
        DeliveryError: the address cannot be reached within `limit_s`, or refuses it.
    """
    call = _Call(url, data, {"Content-Type": "application/json", **headers}, limit_s)
    # The time limit of urllib is one of each wait for bytes, and none of a name server.
    call.start()
    call.join(limit_s)
    if call.is_alive():
        call.end()
        msg = f"The webhook for alerts got no answer from {call.where} within {limit_s:g} s."
        raise DeliveryError(msg, is_final=call.has_sent)
    if call.error is not None:
        raise call.error


class _Call(Thread):
    """One call.

    Attributes:
        where: the host, without a password.
        error: what went wrong; None if nothing did.
    """

    def __init__(self, url: str, data: bytes, headers: Mapping[str, str], limit_s: float) -> None:
        super().__init__(name="webhook", daemon=True)
        self.where = line_of(urlsplit(url).netloc.rpartition("@")[2])
        self.error: DeliveryError | None = None
        self._request = (url, data, headers)
        self._limit_s = limit_s
        self._connections: list[_Http | _Https] = []

    @property
    def has_sent(self) -> bool:
        """Whether the alert may have arrived: all of it was handed to the network."""
        return any(one.has_sent for one in self._connections)

    def run(self) -> None:
        """Make the call; every fault becomes a sentence."""
        try:
            self._post()
        except DeliveryError as error:
            self.error = error
        except Exception as error:  # noqa: BLE001 (whatever a server makes of the libraries)
            reason = getattr(error, "reason", None) or error
            reason = getattr(reason, "strerror", None) or reason
            words = line_of(str(reason)) or type(error).__name__
            msg = f"The webhook for alerts cannot reach {self.where}: {words}."
            if self.has_sent:
                msg = f"The webhook for alerts got no valid answer from {self.where}: {words}."
            self.error = DeliveryError(msg, is_final=self.has_sent)

    def end(self) -> None:
        """End the connection, and with it the thread."""
        for one in self._connections:
            with suppress(OSError, AttributeError):
                one.sock.shutdown(socket.SHUT_RDWR)

    def _post(self) -> None:
        url, data, headers = self._request
        opener = urllib.request.build_opener(_NoRedirect, _Opener(self._connections))
        try:
            request = urllib.request.Request(url, data, dict(headers), method="POST")  # noqa: S310 (checked)
            with opener.open(request, timeout=self._limit_s):
                pass
        except urllib.error.HTTPError as error:
            error.close()
            msg = f"The webhook for alerts was refused by {self.where}: {error.code} {line_of(error.reason)}."
            raise DeliveryError(msg) from error
        except InvalidURL as error:
            raise DeliveryError(f"The webhook for alerts cannot be called: {line_of(str(error))}.") from error
        except HTTPException as error:  # The answer makes no sense, so the alert has been sent.
            msg = f"The webhook for alerts got no valid answer from {self.where}: {line_of(str(error))}."
            raise DeliveryError(msg, is_final=True) from error


class _Http(HTTPConnection):
    has_sent = False

    def getresponse(self) -> HTTPResponse:
        """Note that the request is complete, and wait for the answer."""
        self.has_sent = True
        return super().getresponse()


class _Https(HTTPSConnection):
    has_sent = False

    def getresponse(self) -> HTTPResponse:
        """Note that the request is complete, and wait for the answer."""
        self.has_sent = True
        return super().getresponse()


class _Opener(urllib.request.HTTPSHandler, urllib.request.HTTPHandler):
    """Opens connections that the caller can end."""

    def __init__(self, opened: list[_Http | _Https]) -> None:
        super().__init__()
        self._opened = opened

    def http_open(self, req: urllib.request.Request) -> HTTPResponse:
        return self.do_open(self._http, req)

    def https_open(self, req: urllib.request.Request) -> HTTPResponse:
        return self.do_open(self._https, req)

    def _http(self, host: str, **options: Any) -> HTTPConnection:
        self._opened.append(made := _Http(host, **options))
        return made

    def _https(self, host: str, **options: Any) -> HTTPConnection:
        self._opened.append(made := _Https(host, **options))
        return made


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any, **__: Any) -> None:
        """Follow no redirect: an alert is delivered to its configured address alone."""
        return
