"""Fixtures of the login node, for any test.

FSCONSOLE_NEED_SSHD=1 makes an error of a node that cannot be. FSCONSOLE_NO_SSHD=1 has all of its tests skip.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.slurm.ssh.login_node import LoginNode


@pytest.fixture(scope="session")
def one_login_node() -> Iterator[LoginNode]:
    """Bring the node up once in a process, or skip with the reason why there is none."""
    if reason := LoginNode.missing():
        if os.environ.get("FSCONSOLE_NEED_SSHD"):
            pytest.fail(f"FSCONSOLE_NEED_SSHD is set, but {reason}", pytrace=False)
        pytest.skip(reason)
    with LoginNode() as node:
        yield node


@pytest.fixture
def login_node(one_login_node: LoginNode, monkeypatch: pytest.MonkeyPatch) -> Iterator[LoginNode]:
    """Give a test the node as new: homes, tools, hosts, counts; kill what the test leaves running."""
    monkeypatch.delenv("SLURM_CONF", raising=False)
    one_login_node.reset()
    monkeypatch.setenv("XDG_STATE_HOME", str(one_login_node.state))  # a short path: ssh makes sockets there
    yield one_login_node
    one_login_node.resume()
    one_login_node.cut()
