"""Answer calls in a forked process, one after the other, until its parent closes the channel."""

import os
import signal
import socket
from collections.abc import Callable
from typing import Any

MAX_CALL = 1 << 20
"""Maximum bytes of a call on the channel."""
STANDARD_FILES = 3

SESSION_MARK = b"s"
"""What a process sends before its call uses a session: such a call must not be repeated."""

AnswerCall = Callable[[dict[str, Any], Callable[[], None]], int]
"""Answers a call with stdin, stdout and stderr at 0, 1 and 2, and returns the exit status.

The second argument is called before the call uses a session.
"""


def run_worker(channel: socket.socket, answer: AnswerCall) -> None:
    """Answer calls until the channel ends."""
    import orjson

    _forget_parent(channel)
    while message := _receive_call(channel):
        line, descriptors = message
        _take_files(descriptors)
        status = answer(orjson.loads(line), lambda: channel.sendall(SESSION_MARK))
        _release_files()
        channel.sendall(b"%d\n" % status)


def _forget_parent(channel: socket.socket) -> None:
    """Close what belongs to the parent, and let signals end this process.

    SIGTERM is left to the parent: a service manager sends it to all processes, and the parent lets their calls end.
    """
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.setpgid(0, 0)
    keep = channel.fileno()
    os.closerange(STANDARD_FILES, keep)
    os.closerange(keep + 1, os.sysconf("SC_OPEN_MAX"))
    _release_files()


def _receive_call(channel: socket.socket) -> tuple[bytes, list[int]] | None:
    """Return the next call and the descriptors of its files, None at the end."""
    data, descriptors, _, _ = socket.recv_fds(channel, MAX_CALL, STANDARD_FILES)
    while data and not data.endswith(b"\n"):
        more = channel.recv(MAX_CALL)
        if not more:
            return None
        data += more
    return (data, descriptors) if data else None


def _take_files(descriptors: list[int]) -> None:
    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, number)
        os.close(descriptor)


def _release_files() -> None:
    """Let go of the files of a call, whose memory would be held until the next."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in range(STANDARD_FILES):
        os.dup2(nowhere, number)
    os.close(nowhere)
