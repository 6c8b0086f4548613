"""Maps of content that was made to take long: each found by the sweep of the bench once."""

from collections.abc import Callable

import pytest

from bench.bounds import INPUTS, Run, mapper, run_forked, too_much
from bench.slowdown import measure_slowdown

FOUND = (
    ("lines of '# a'", "markdown"),
    ("lines of '.SH A'", "typeset"),
    ("one line of '\\x1b[31m'", "pytest"),
    ("one line of '*'", "history"),
    ("one line of 'a,'", "csv"),
    ("keys in keys", "yaml"),
    ("one line of '['", "yaml"),
    ("lines of ''", ""),
    ("bzip2 of zeros", ""),
    ("lines of '=== a ==='", "pytest"),
    ("one line of '<!---->'", "html"),
    ("one line of '<!---->'", "xml"),
    ("one line of '<!---->'", "junit xml"),
)
SLOW = (
    ("lines of 'def a(:'", "source"),
    ("lines of 'func a() {'", "source"),
    ("lines of 'class A {'", "source"),
    ("lines of '    at a (b.js:1:1)'", "source"),
    ("HTML headings", "html"),
    ("HTML headings", "markdown"),
    ("HTML tables", "html"),
    ("lines of '{'", "jsonl"),
    ("lines of '/* '", "source"),
    ("lines of '=ab'", ""),
)


TRIES = 4
"""Runs of a map that takes long: other load on the cores slows a run, and does not last."""


def run_quietly(call: Callable[[], object], is_too_much: Callable[[Run], bool]) -> Run:
    """Return the first run that is not too much, or the last: its time is divided by the slowdown of the processor."""
    for _ in range(TRIES):
        run = run_forked(call)
        run = run._replace(seconds=run.seconds / measure_slowdown())
        if not is_too_much(run):
            break
    return run


@pytest.mark.slow
@pytest.mark.parametrize(("name", "kind"), FOUND)
def test_a_map_of_hostile_content_takes_no_more_than_it_may(name: str, kind: str) -> None:
    data = INPUTS[name](64 << 10)
    mapper(b"a\n", "")()
    run = run_quietly(mapper(data, kind), lambda run: run.seconds >= 1.5)
    assert (run.status, run.memory < 400 << 20, run.seconds < 1.5) == (0, True, True)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "kind"), SLOW)
def test_a_map_of_more_of_it_takes_no_longer(name: str, kind: str) -> None:
    size = 512 << 10
    mapper(b"a\n", "")()
    run = run_quietly(mapper(INPUTS[name](size), kind), lambda run: too_much(run, size))
    assert not too_much(run, size), run


def test_what_dies_is_told() -> None:
    assert run_forked(lambda: 1 // 0).status == 2
