"""Maps of content that was made to take long: each found by the sweep of the bench once."""

import pytest

from bench.bounds import INPUTS, mapper, run_forked, too_much

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


@pytest.mark.stress
@pytest.mark.parametrize(("name", "kind"), FOUND)
def test_a_map_of_hostile_content_takes_no_more_than_it_may(name: str, kind: str) -> None:
    data = INPUTS[name](64 << 10)
    mapper(b"a\n", "")()
    run = run_forked(mapper(data, kind))
    assert (run.status, run.memory < 400 << 20, run.seconds < 1.5) == (0, True, True)


@pytest.mark.stress
@pytest.mark.parametrize(("name", "kind"), SLOW)
def test_a_map_of_more_of_it_takes_no_longer(name: str, kind: str) -> None:
    size = 512 << 10
    mapper(b"a\n", "")()
    run = run_forked(mapper(INPUTS[name](size), kind))
    assert not too_much(run, size), run


def test_what_dies_is_told() -> None:
    assert run_forked(lambda: 1 // 0).status == 2
