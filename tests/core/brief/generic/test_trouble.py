import re
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.generic.trouble import (
    _ERRORS,
    _STATUS_WORDS,
    _WARNINGS,
    CLUES,
    ERROR,
    FORM_WORDS,
    MENTION,
    PHRASES,
    SUMMARY,
    WARNING,
    mentions_trouble,
    rate_trouble,
)


@pytest.mark.parametrize(
    ("text", "severity"),
    [
        ("error: cannot find -lfoo", ERROR),
        ("npm error code ENOENT", ERROR),
        ("E: Unable to locate package x", ERROR),
        ("CONFLICT (content): Merge conflict in a.txt", ERROR),
        ("ValueError: bad", ERROR),
        ("gw.GatewayTimeoutError: order 4711", ERROR),
        ("2026-01-01 12:00:00 ERROR worker died", ERROR),
        ("[!] Error: Unexpected token", ERROR),
        ("make[2]: *** [Makefile:3: error.o] Error 1", ERROR),
        ("web13: starting app... error: port 8080 is already allocated", ERROR),
        ("      Reason:       OOMKilled", ERROR),
        ("Status:           Failed", ERROR),
        ("web-1   0/1     CrashLoopBackOff   41 (3m ago)", ERROR),
        ("(!) Circular dependencies", WARNING),
        ("/venv/lib/linear.py:599: ConvergenceWarning: it did not converge", WARNING),
        ("npm warn deprecated x@1", WARNING),
        ("W: Some index files failed", WARNING),
        ("WARNING: no locks", WARNING),
        ("644 problems (644 errors, 0 warnings)", SUMMARY),
        ("Found 9 dependency issues.", SUMMARY),
        ("root@127.0.0.1: Permission denied (publickey).", MENTION),
        ("verify: hostname mismatch", MENTION),
        ("ok 3 - handles errors", MENTION),
    ],
)
def test_lines_that_state_trouble(text: str, severity) -> None:
    assert rate_trouble(text) == severity


@pytest.mark.parametrize(
    "text",
    [
        "                 U __stack_chk_fail",
        "display_errors => Off => Off",
        "kernel.hardlockup_panic = 0",
        "https://registry.npmjs.org/es6-error/-/es6-error-4.1.1.tgz",
        "0 errors, no failures",
        "|   |--- radius error <= 0.64",
        "Failures: 0",
        "Liveness:  http-get :8080/ delay=10s #success=1 #failure=3",
        "State:          Running",
        "    handler: TimeoutError | None",
        "ErrorHandler  installed",
        "lib/error/handler.js",
        '    , Str "fail?"',
        "        raise ValueError(x) from error",
        "# an error is what we call it",
    ],
)
def test_lines_that_only_hold_such_a_word(text: str) -> None:
    assert rate_trouble(text) == 0


@pytest.mark.parametrize("text", ["a " * 500_000, "[" * 1_000_000, ": " * 500_000, "1 " * 500_000, "error" * 200_000])
def test_a_line_of_a_megabyte_takes_no_time(text: str) -> None:
    began = process_time()
    assert rate_trouble(text) >= 0
    assert process_time() - began < 1


WORDS = st.sampled_from((*CLUES, "E:", "W:", "[!!]", "Error", "does", "is", "not", "out of", "to", "A", "\u2718", "\u017ftale"))


@given(st.lists(WORDS | st.text(alphabet="aE: .0[(!)", max_size=4), max_size=5), st.sampled_from(["", " "]))
def test_each_form_that_has_words_of_trouble_has_a_clue(parts: list[str], between: str) -> None:
    for form in (between.join(parts), between.join(parts).title()):
        assert mentions_trouble(form) == (FORM_WORDS.search(form) is not None)


@pytest.mark.parametrize("word", re.findall(r"[\w'-]+(?: \w+)*", f"{_ERRORS}|{_WARNINGS}|{PHRASES}|{_STATUS_WORDS}"))
def test_each_word_of_trouble_has_a_clue(word: str) -> None:
    for form in (word, f"a{word}", f"{word}!"):
        assert mentions_trouble(form) == (FORM_WORDS.search(form) is not None)
