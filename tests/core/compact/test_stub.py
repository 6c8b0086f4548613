"""What stands where a tool result stood."""

import pytest

from ctxkit.core.compact.stub import find_failure_lines, is_cleared, make_stub
from ctxkit.core.text.retrieval_hint import PRESETS

REF = "3f9a2c81d0b4" + "0" * 52


def test_a_stub_says_how_large_it_was_how_it_began_and_how_to_read_it() -> None:
    text = "go: downloading github.com/stretchr/testify v1.9.0\n" * 40
    made = make_stub(text, "shell_exec", REF, failed=False)
    assert made.startswith('[Tool result stored — 2,040 bytes from "shell_exec". First 200 chars: go: downloading github')
    assert made.endswith("...]\nTo read it: ctxkit cache get 3f9a2c81d0b40000 --lines 1:40")


def test_one_long_line_is_read_by_bytes() -> None:
    assert make_stub("x" * 900, "", REF, failed=False).endswith('--bytes 1:900')


def test_what_is_stored_nowhere_is_not_said_to_be() -> None:
    made = make_stub("word " * 200, "run", "", failed=False)
    assert made.startswith('[Tool result left out — 1,000 bytes from "run".')
    assert "ctxkit" not in made


@pytest.mark.parametrize(("end", "failed"), [("exit code: 2", False), ("<returncode>1</returncode>", False), ("", True)])
def test_the_lines_that_say_what_failed_survive(end: str, failed: bool) -> None:
    text = "\n".join(["compiling"] * 60 + ["error[E0308]: mismatched types in src/lib.rs"] + ["more"] * 60 + [end])
    made = make_stub(text, "cargo", REF, failed=failed)
    assert "Lines that say what failed:\nerror[E0308]: mismatched types in src/lib.rs" in made


def test_a_result_that_says_nothing_of_a_failure_keeps_no_such_lines() -> None:
    text = "\n".join(["def raise_error(): pass"] * 60)
    assert "what failed" not in make_stub(text, "read", REF, failed=False)


def test_no_more_than_a_few_such_lines() -> None:
    text = "\n".join(f"error: number {number}" for number in range(500))
    made = make_stub(text, "cargo", REF, failed=True)
    assert made.count("\n") <= 9
    assert "error: number 499" in made


@pytest.mark.parametrize(
    "text",
    [make_stub("x" * 900, "run", REF, failed=False), make_stub("x" * 900, "", "", failed=False), "[Old tool result content cleared]", "[cleared]"],
)
def test_what_was_cleared_is_known_again(text) -> None:
    assert is_cleared(text)
    assert not is_cleared(f"output\n{text}")


def test_with_read_result_the_stub_ends_in_the_sentence_of_the_specification() -> None:
    """Seed 001: Use the "read_result" tool with ref_id="abc-123" to read specific portions."""
    made = make_stub("x" * 900, "shell_exec", REF, failed=False, template=PRESETS["read_result"])
    assert made.startswith('[Tool result stored — 900 bytes from "shell_exec".')
    assert made.splitlines()[-1] == f'Use the "read_result" tool with ref_id="{REF[:16]}" to read specific portions.'


def test_a_template_with_a_ref_is_the_hint_of_a_stub() -> None:
    made = make_stub("a\n" * 900, "run", REF, failed=False, template="show {ref} {start}-{end}")
    assert made.splitlines()[-1] == f"To read it: show {REF[:16]} 1-900"
    for template in ("", *PRESETS.values(), "show {path}"):
        if template != PRESETS["read_result"]:
            assert make_stub("x" * 900, "run", REF, failed=False, template=template).endswith("--bytes 1:900")


def test_a_result_that_ends_in_an_error_quotes_it_though_nothing_says_that_it_failed() -> None:
    text = "fine\n" * 90 + "src/a.ts(7,1): error TS2339: Property 'total' does not exist\n\n"
    assert find_failure_lines(text, failed=False) == ["src/a.ts(7,1): error TS2339: Property 'total' does not exist"]
    assert find_failure_lines("error: x\n" + "fine\n" * 90, failed=False) == []
