"""Whether the command answers where an input takes native code down: the work is then done in another process.

The fuzzer calls core in its own process, where a grammar written in C may take gigabytes, or crash. The command maps
content in a worker process, and answers with head and tail if the worker dies.
"""

import subprocess
import tempfile
from collections.abc import Sequence
from random import Random

from bench.fuzz.case import Case
from bench.fuzz.targets import brief_options

SECONDS = 60.0
"""Seconds on the wall after which the command is taken for stuck."""


def survives(ctxkit: Sequence[str], case: Case) -> bool:
    """Return whether the command that maps content answers a case: with a map, or 1 as the target holds none."""
    argv = arguments_of(case)
    if not argv:
        return False
    with tempfile.TemporaryDirectory(prefix="ctxkit-fuzz-") as home:
        environment = {"HOME": home, "PATH": "/usr/bin:/bin", "TMPDIR": home}
        try:
            ended = subprocess.run(
                [*ctxkit, *argv], input=case.data, capture_output=True, env=environment, cwd=home, timeout=SECONDS
            )
        except subprocess.TimeoutExpired:
            return False
    answers = {0: ended.stdout, 1: ended.stderr}
    return bool(answers.get(ended.returncode))


def arguments_of(case: Case) -> list[str]:
    """Return the command line that does the work of a case; none for targets that no worker process does."""
    if case.target in ("sniff", "gate"):
        return ["brief", "--target", "600", "--tokenizer", "qwen3"]
    if case.target != "brief":
        return []
    options = brief_options(Random(case.salt))
    argv = ["brief", "--target", str(options.target), "--tokenizer", options.tokenizer]
    for option, value in (("--name", options.name), ("--type", options.content_type), ("--focus", options.focus)):
        argv += [option, value] if value else []
    return argv
