"""Fuzzing core in this process's children: ``python -m bench fuzz --seconds 60 --seed 1``.

Each case is made of the seed and its number alone, so that a run can be repeated, and a child that dies costs one
case. What is found is saved, as small as it can be made, and its name says how to run it again.
"""

import mmap
import os
import resource
import struct
import sys
import tempfile
from collections.abc import Iterator, Sequence
from signal import SIGKILL
from time import monotonic, sleep

from bench.figure import Figure
from bench.fuzz.case import Case, Fault, case_of, fault_of, memory_sign, minimize, read_case
from bench.fuzz.isolation import survives
from bench.place import Place

FINDINGS = os.path.join(os.path.dirname(__file__), "findings")
"""The folder of inputs that broke something once; the test suite runs them all."""
FOUND = os.path.join(tempfile.gettempdir(), "ctxkit-fuzz")
"""The folder where new ones are saved."""
ROOM = 1 << 30
"""Bytes of address space that a child may take beyond what it has at its start."""
STUCK = 300.0
"""Seconds on the wall after which a child is killed that is still at the same case: native code heeds no signal."""
MANY = 25
"""Different faults after which a run ends: more are not read."""


def figures(place: Place) -> Iterator[Figure]:
    """Yield how many cases ran, and what they found."""
    if place.replay:
        yield _replay(place.replay)
        return
    started = monotonic()
    ran, faults, contained = fuzz(place.seed, place.seconds, place.ctxkit)
    notes = [note for fault in faults for note in _describe(fault)]
    what = f"{monotonic() - started:.0f} s from seed {place.seed}"
    figure = f"{ran:,} inputs, {len(faults)} findings"
    if contained:
        figure += f"; {contained} took native code down, and the command answered"
    yield Figure("fuzz", what, figure, None, "0 findings", not faults, notes)


def _replay(path: str) -> Figure:
    fault = fault_of(read_case(path))
    notes = fault.details.splitlines() if fault else ()
    return Figure("fuzz", os.path.basename(path), fault.sign if fault else "holds", None, "holds", fault is None, notes)


def _describe(fault: Fault) -> Iterator[str]:
    yield f"{fault.sign} ({len(fault.case.data)} bytes)"
    yield f"  run it again: python -m bench fuzz --replay {_save(fault.case)}"
    yield from (f"  {line}" for line in fault.details.splitlines()[-12:])


def _save(case: Case) -> str:
    """Write a case into the folder of what is found, and return its path."""
    os.makedirs(FOUND, exist_ok=True)
    path = os.path.join(FOUND, case.name)
    with open(path, "wb") as file:
        file.write(case.data)
    return path


def fuzz(seed: int, seconds: float, ctxkit: Sequence[str]) -> tuple[int, list[Fault], int]:
    """Run cases one after another for so many seconds.

    Return how many ran, the different faults, and how many cases took native code down that the command answers.
    """
    until, at, contained = monotonic() + seconds, 0, 0
    faults: dict[str, Fault] = {}
    shared = mmap.mmap(-1, 8)
    while monotonic() < until and len(faults) < MANY:
        number, fault = _child(seed, at, until, shared, set(faults))
        at = number + 1
        if fault is not None and fault.native and survives(ctxkit, fault.case):
            contained += 1
        elif fault is not None and fault.sign not in faults:
            faults[fault.sign] = fault
            print(f"fuzz: case {number}: {fault.sign}: {_save(fault.case)}", file=sys.stderr, flush=True)
    return at, list(faults.values()), contained


def _child(seed: int, at: int, until: float, shared: mmap.mmap, known: set[str]) -> tuple[int, Fault | None]:
    """Run cases in a child until one breaks, or the time is up; return the last one and what broke."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        _work(seed, at, until, shared, writer, known)
    os.close(writer)
    status = _watch(pid, until, shared)
    with os.fdopen(reader, "rb") as pipe:
        text = pipe.read().decode("utf-8", "replace")
    number: int = struct.unpack("q", shared[:8])[0]
    if status == 0 and not text:
        return number, None
    case = case_of(seed, number)
    if status == 0:
        sign, _, rest = text.partition("\0")
        data, _, details = rest.partition("\0")
        native = sign == memory_sign(case.target)
        return number, Fault(Case(case.target, case.salt, bytes.fromhex(data)), sign, details, native=native)
    return number, Fault(case, f"{case.target}: the process ended with {status}", "see the input", native=True)


def _watch(pid: int, until: float, shared: mmap.mmap) -> int:
    """Wait for a child, and kill it where it stays at one case; return its status, negative for a signal."""
    last, since = -1, monotonic()
    while True:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        now = struct.unpack("q", shared[:8])[0]
        if now != last:
            last, since = now, monotonic()
        elif monotonic() - since > STUCK:
            os.kill(pid, SIGKILL)
        sleep(0.05)


def _work(seed: int, at: int, until: float, shared: mmap.mmap, writer: int, known: set[str]) -> None:
    """Be the child: run cases, tell of the first new fault, and end."""
    code = 3
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            number = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (number + ROOM, number + ROOM))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        while monotonic() < until:
            shared[:8] = struct.pack("q", at)
            fault = fault_of(case_of(seed, at))
            if fault is not None and fault.sign not in known:
                fault = minimize(fault)
                os.write(writer, f"{fault.sign}\0{fault.case.data.hex()}\0{fault.details}".encode("utf-8", "replace"))
                break
            at += 1
        code = 0
    finally:
        os._exit(code)
