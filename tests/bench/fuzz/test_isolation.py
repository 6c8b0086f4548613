import sys

import pytest

from bench.fuzz.case import Case
from bench.fuzz.isolation import arguments_of, survives
from bench.fuzz.targets import TARGETS

CTXKIT = [sys.executable, "-m", "ctxkit"]


@pytest.mark.slow
@pytest.mark.parametrize("salt", range(6))
def test_the_command_answers_a_case_of_a_map(salt: int) -> None:
    assert survives(CTXKIT, Case("brief", salt, b"def parse(text):\n    return text\n" * 400))


@pytest.mark.parametrize("program", ["import os; os.abort()", "raise SystemExit(70)", "pass"])
def test_a_command_that_dies_or_says_nothing_does_not_survive(program: str) -> None:
    assert not survives([sys.executable, "-c", program], Case("brief", 1, b"x"))


def test_only_what_a_worker_process_does_may_take_native_code_down() -> None:
    named = {target.name for target in TARGETS if arguments_of(Case(target.name, 1, b""))}
    assert named == {"brief", "sniff", "gate"}
