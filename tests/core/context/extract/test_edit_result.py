"""Refused edits, in the words of several hosts."""

import time

import pytest

from ctxkit.core.context.extract.edit_result import is_refused_edit


@pytest.mark.parametrize(
    "text",
    [
        "apply_patch verification failed: Failed to find expected lines in C:\\a\\layout.tsx:\nexport const x",
        "Script failed\nWall time 0.0 seconds\nOutput:\n\nScript error:\ninvalid hunk at line 8",
        '{\n  "status": "error",\n  "tool": "edit",\n  "error": "Found 3 occurrences of the text in /a/b.go."\n}',
        "The user doesn't want to proceed with this tool use. The tool use was rejected.",
        "No changes to apply. The old_string and new_string are identical in file: c:\\a\\b.py",
        "Failed to edit, 0 occurrences found for old_string in c:\\a\\b.py. No edits made.",
        "Encountered error in step execution: Could not successfully apply any edits.",
        "failed in sandbox LinuxSeccomp with execution error: exit code: 2, stdout: ",
    ],
)
def test_a_refused_edit(text: str) -> None:
    assert is_refused_edit(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "File created successfully at: /tmp/check_failed.mjs",
        "Created file file:///a/error-messages.ts with requested content.\nDo not ask, it cannot be denied.",
        "The file c:\\a\\b.tsx has been updated. Here's the result:\n 1 if (error) return failed",
        "The following changes were made by the tool to: c:\\a\\b.tsx. If it is invalid, run the checks.",
        "OBSERVATION:\nThe file /testbed/reproduce_error.py has been edited.",
        '{"output": "", "metadata": {"exit_code": 0}}',
        "     1\tdef find(): raise ValueError\n",
    ],
)
def test_an_edit_that_was_made(text: str) -> None:
    assert not is_refused_edit(text)


def test_a_long_result_costs_no_more_than_its_beginning() -> None:
    start = time.perf_counter()
    for text in ("/" * 500_000, "`" * 500_000, "a." * 250_000):
        is_refused_edit(text)
    assert time.perf_counter() - start < 1
