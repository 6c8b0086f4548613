"""Share items among forked processes, and return the answers in the order of the items."""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from heapq import heapreplace
from typing import Any

from ctxkit.core.errors import CtxkitError
from ctxkit.core.text.worker_interface import WorkerDiedError
from ctxkit.engines.frames import decode_error
from ctxkit.engines.isolation import fork_worker
from ctxkit.engines.process_limits import ProcessLimits
from ctxkit.engines.worker_channel import WorkerChannel

Answer = Callable[[int], Any]
"""Returns plain data for the item with an index, or raises CtxkitError."""


def answer_items(answer: Answer, sizes: dict[int, int], processes: int) -> Generator[tuple[int, Any], None, None]:
    """Yield each index of ``sizes`` with the answer for it, or its CtxkitError, in ascending order.

    ``sizes`` are bytes. The items of a process that dies, from the one that it worked on, are left out.
    """
    shares = deal_shares(sizes, processes)
    owners = {index: number for number, share in enumerate(shares) for index in share}
    with ExitStack() as stack:
        answers = [_read_answers(stack, answer, share, sum(map(sizes.__getitem__, share))) for share in shares]
        for index in sorted(owners):
            if result := next(answers[owners[index]], None):
                yield index, result[0]


def deal_shares(sizes: dict[int, int], processes: int) -> list[list[int]]:
    """Return the indexes in shares of about the same size, each in ascending order: the largest item goes first."""
    shares: list[list[int]] = [[] for _ in range(min(processes, len(sizes)))]
    loads = [(0, number) for number in range(len(shares))]
    for index in sorted(sizes, key=lambda index: (-sizes[index], index)):
        load, number = loads[0]
        shares[number].append(index)
        heapreplace(loads, (load + sizes[index] + 1, number))
    return [sorted(share) for share in shares]


def _read_answers(stack: ExitStack, answer: Answer, share: Sequence[int], size: int) -> Iterator[tuple[Any]]:
    """Start a process for a share; return an iterator of its answers, which ends early if the process dies."""
    worker = stack.enter_context(fork_worker(partial(_answer_share, answer, share), ProcessLimits.for_size(size)))
    return _decode_answers(worker.read_messages())


def _decode_answers(messages: Iterator[tuple[str, Any]]) -> Iterator[tuple[Any]]:
    try:
        for kind, value in messages:
            if kind == "answer":
                yield (value,)
            elif kind == "error":
                yield (decode_error(value),)
    except (WorkerDiedError, OSError):  # the parent answers what is left
        return


def _answer_share(answer: Answer, share: Sequence[int], channel: WorkerChannel) -> None:
    """Send the answers of a share in order."""
    for index in share:
        try:
            value = answer(index)
        except CtxkitError as error:
            channel.send("error", (type(error).__name__, str(error), error.hint))
        else:
            channel.send("answer", value)
