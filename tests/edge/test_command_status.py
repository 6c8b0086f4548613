"""A command of the root group runs, and its end becomes an exit status."""

import pytest

from ctxkit.core import errors
from ctxkit.core.errors import Exit
from ctxkit.edge.command_group import check_answer
from ctxkit.edge.command_status import run_command, run_for_status
from ctxkit.main import cli


def fail(error):
    raise error


def test_a_command_runs_again_and_again_in_one_process(capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(3):
        assert run_command(cli, ["--version"]) == 0
    assert capsys.readouterr().out.count("ctxkit ") == 3


@pytest.mark.parametrize("kind", errors.CtxkitError.__subclasses__(), ids=lambda kind: kind.__name__)
def test_each_kind_of_trouble_ends_in_its_status_with_its_message_and_hint(kind, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_for_status(lambda: fail(kind("it broke", hint="mend it"))) == kind.status
    assert capsys.readouterr() == ("", "ctxkit: it broke\n  hint: mend it\n")


NEGATIVE_ANSWERS = [errors.NotStoredError, errors.AmbiguousRefError, errors.UnknownNameError]


def test_no_kind_of_trouble_but_an_honest_no_has_status_1() -> None:
    assert [kind for kind in errors.CtxkitError.__subclasses__() if kind.status in (0, 1)] == NEGATIVE_ANSWERS


def test_a_message_of_several_lines_is_said_in_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_for_status(lambda: fail(errors.MalformedInputError("line 3:\n\n  not JSON"))) == 65
    assert capsys.readouterr().err == "ctxkit: line 3: not JSON\n"


@pytest.mark.parametrize("answer", [None, "yes", True, 1.0])
def test_a_command_that_forgets_its_answer_is_a_bug(answer, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_for_status(lambda: check_answer(answer)) == Exit.BUG
    assert f"the command answered {answer!r}, which is not an exit status" in capsys.readouterr().err


@pytest.mark.parametrize("answer", [Exit.DONE, Exit.NO, 0, 3, 137])
def test_an_answer_is_the_status(answer) -> None:
    assert run_for_status(lambda: check_answer(answer)) == answer
