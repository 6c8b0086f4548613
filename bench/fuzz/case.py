"""One input for one target, and what is wrong when it breaks."""

import os
import re
import signal
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from random import Random
from resource import RUSAGE_SELF, getrusage
from time import monotonic
from types import FrameType

from bench.fuzz.corpus import seeds
from bench.fuzz.mutation import mutate
from bench.fuzz.targets import TARGETS, BrokenPropertyError, Target

SECONDS = 5.0
"""CPU seconds that one input may take: it has 32 KB at most, and a target runs its entry point up to five times."""
GROWTH = 400 << 20
"""Bytes by which one input may raise the most memory that was held: two maps are made of it, with a vocabulary."""
SALTS = 997


class OvertimeError(BaseException):
    """Say that an input takes too long; code that catches every Exception must not catch it."""


@dataclass(frozen=True)
class Case:
    """Hold an input for a target; ``salt`` decides the options that the target chooses at random."""

    target: str
    salt: int
    data: bytes

    @property
    def name(self) -> str:
        """Return the name of the file that holds it, from which it can be run again."""
        return f"{self.target}-{self.salt}-{sha256(self.data).hexdigest()[:12]}"


@dataclass(frozen=True)
class Fault:
    """Say what broke: ``sign`` is the same for inputs that break the same thing.

    A ``native`` fault took the process down, or its memory: native code may have done it.
    """

    case: Case
    sign: str
    details: str
    native: bool = False


def case_of(seed: int, number: int) -> Case:
    """Return one case of a series; the same numbers make the same case."""
    random = Random(f"{seed}:{number}")
    target = random.choices(TARGETS, [target.weight for target in TARGETS])[0]
    if target.make is not None and random.random() < 0.5:
        data = target.make(random)
        return Case(target.name, number % SALTS, mutate(random, data, data) if random.random() < 0.2 else data)
    fitting = seeds(*target.seeds) if random.random() < 0.9 else seeds("")
    data = mutate(random, random.choice(fitting), random.choice(seeds("") if random.random() < 0.5 else fitting))
    return Case(target.name, number % SALTS, data)


def read_case(path: str) -> Case:
    """Return the case that a file holds."""
    target, salt, _ = os.path.basename(path).split("-", 2)
    with open(path, "rb") as file:
        return Case(target, int(salt), file.read())


@cache
def _targets() -> dict[str, Target]:
    return {target.name: target for target in TARGETS}


def fault_of(case: Case, seconds: float = SECONDS) -> Fault | None:
    """Run a case; return what broke, None when nothing did."""
    before = getrusage(RUSAGE_SELF).ru_maxrss
    try:
        with _limit(seconds):
            _targets()[case.target].run(Random(case.salt), case.data)
    except (KeyboardInterrupt, SystemExit):
        raise
    except RecursionError:  # a command answers 65: the input is nested too deep
        return None
    except BaseException as error:
        return Fault(case, _sign(case.target, error), "".join(traceback.format_exception(error))[-3000:])
    growth = (getrusage(RUSAGE_SELF).ru_maxrss - before) << 10
    if growth > GROWTH:
        return Fault(case, memory_sign(case.target), f"{growth >> 20} MB more than before", native=True)
    return None


def memory_sign(target: str) -> str:
    """Return the sign of the fault that an input took too much memory."""
    return f"{target}: memory"


@contextmanager
def _limit(seconds: float) -> Iterator[None]:
    def stop(number: int, frame: FrameType | None) -> None:
        raise OvertimeError(f"more than {seconds:g} s of CPU")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _sign(target: str, error: BaseException) -> str:
    """Return what tells one fault from another: the kind of error and where in ctxkit it is from."""
    if isinstance(error, BrokenPropertyError):
        return f"{target}: {re.sub(r'[0-9]+', 'N', str(error))[:70]}"
    frames = [
        frame for frame in traceback.extract_tb(error.__traceback__) if f"{os.sep}ctxkit{os.sep}" in frame.filename
    ]
    if isinstance(error, OvertimeError):
        frames = frames[-3:-1] or frames  # where it happens to be stopped says less than who called
    where = f"{frames[-1].filename.rpartition(f'{os.sep}ctxkit{os.sep}')[2]}:{frames[-1].name}" if frames else "?"
    return f"{target}: {type(error).__name__} in {where}"


def minimize(fault: Fault, seconds: float = 15.0) -> Fault:
    """Return the same fault with as little input as can be found in so many seconds."""
    until = monotonic() + seconds

    def same(data: bytes) -> bool:
        result = fault_of(Case(fault.case.target, fault.case.salt, data))
        return result is not None and result.sign == fault.sign

    data = fault.case.data
    if not same(data):
        return fault
    for joint in (b"\n", b" ", b""):
        data = _fewer(data, joint, same, until)
    result = fault_of(Case(fault.case.target, fault.case.salt, data))
    return result if result is not None and result.sign == fault.sign else fault


def _fewer(data: bytes, joint: bytes, same: Callable[[bytes], bool], until: float) -> bytes:
    """Leave out pieces of the data, large stretches first, as long as the fault stays."""
    pieces = data.split(joint) if joint else [data[at : at + 1] for at in range(len(data))]
    size = max(len(pieces) // 2, 1)
    while size and pieces:
        at = 0
        while at < len(pieces) and monotonic() < until:
            fewer = pieces[:at] + pieces[at + size :]
            if same(joint.join(fewer)):
                pieces = fewer
            else:
                at += size
        size = size // 2 if monotonic() < until else 0
    return joint.join(pieces)
