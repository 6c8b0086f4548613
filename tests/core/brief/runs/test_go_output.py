import pytest

from ctxkit.core.brief.runs.go_output import (
    collect_failures,
    find_deviations,
    make_benchmark_sections,
    read_benchmarks,
    unescape,
)
from ctxkit.core.text import lines
from ctxkit.core.text.lines import lines_from_bytes

LOG = """\
# b [b.test]
{"Time":"2026-01-01T00:00:00Z","Action":"run","Package":"a","Test":"TestX"}
{"Time":"2026-01-01T00:00:00Z","Action":"output","Package":"a","Test":"TestX","Output":"=== RUN   TestX\\n"}
{"Time":"2026-01-01T00:00:00Z","Action":"output","Package":"a","Test":"TestX","Output":"    x_test.go:4: got \\"b\\"\\n"}
{"Action":"output","Package":"a","Test":"TestY","Output":"fine\\n"}
{"Action":"pass","Package":"a","Test":"TestY","Elapsed":0}
{"Action":"fail","Package":"a","Test":"TestX","Elapsed":0}
{"Elapsed":0,"Package":"a","Action":"fail"}
{"ImportPath":"c [c.test]","Action":"build-output","Output":"c.go:1:2: no\\n"}
{"ImportPath":"c [c.test]","Action":"build-fail"}
"""


def test_what_failing_tests_wrote_is_kept_with_its_lines() -> None:
    failed, ended, strays = collect_failures(lines.lines_from_bytes(LOG.encode()))
    assert [*failed] == [("a", "TestX"), ("a", ""), ("c [c.test]", "")]
    ran = failed["a", "TestX"]
    assert (ran.start, ran.end, ran.failed) == (3, 4, 7)
    assert ran.lines == [(4, '    x_test.go:4: got \\"b\\"')]
    assert failed["c [c.test]", ""].lines == [(9, "c.go:1:2: no")]
    assert [(event.number, event.action, event.package) for event in ended] == [(8, "fail", "a")]
    assert [(mark.number, mark.text) for mark in strays] == [(1, "# b [b.test]")]


def test_of_long_output_the_first_and_the_last_lines_are_kept() -> None:
    row = '{"Action":"output","Package":"a","Test":"T","Output":"row %d\\n"}\n'
    text = "".join(row % at for at in range(100)) + '{"Action":"fail","Package":"a","Test":"T"}\n'
    said = collect_failures(lines.lines_from_bytes(text.encode()))[0]["a", "T"].lines
    assert (len(said), said[0], said[-1]) == (40, (1, "row 0"), (100, "row 99"))


def test_escapes_of_json_are_undone() -> None:
    assert unescape(r"a\tbé\"c\\") == 'a\tb\u00e9"c\\'


SIZES = (16, 64, 256, 1024, 4096, 16384)
HEAD = "goos: linux\ngoarch: amd64\npkg: example.org/kit\n"


def make_rows(name, scale, odd=None, runs=3):
    rows = []
    for size in SIZES:
        allocations = 90 if size == odd else 3 + size.bit_length()
        for run in range(runs):
            time = size * scale * (1 + run / 50)
            rows.append(f"Benchmark{name}/n={size}-8  \t {9_000_000 // size}\t {time:.1f} ns/op\t {size + 16} B/op\t {allocations} allocs/op\n")
    return "".join(rows)


def read(text):
    return read_benchmarks(lines_from_bytes(text.encode()))


def test_the_runs_of_a_benchmark_are_one_with_their_median() -> None:
    first, *_ = read(HEAD + make_rows("Sort", 2.0))
    assert (first.name, first.first, first.last) == ("BenchmarkSort/n=16-8", 4, 6)
    assert first.describe() == "32.6 ns/op, 32 B/op, 8 allocs/op"
    assert [row.describe() for row in read("BenchmarkA-4   100   12.5 MB/s\nBenchmarkB\nBenchmarkC 1 2\n")] == ["12.5 MB/s"]


@pytest.mark.parametrize("odd", SIZES[1:-1])
def test_a_size_that_leaves_the_trend_of_the_others_is_found_with_its_unit(odd: int) -> None:
    rows = find_deviations(read(HEAD + make_rows("Sort", 2.0) + make_rows("Hash", 0.7, odd) + make_rows("Join", 9.0)))
    assert [(row.benchmark.name, row.unit) for row in rows] == [(f"BenchmarkHash/n={odd}-8", "allocs/op")]
    assert f"BenchmarkHash/n={odd}-8: 90 allocs/op, between " in rows[0].describe()
    assert rows[0].describe().endswith(" times the value on their line")


@pytest.mark.parametrize(
    "text",
    [
        make_rows("Sort", 2.0),
        "".join(f"BenchmarkFew/n={size} 9 {size * size} ns/op\n" for size in (1, 2, 3, 400)),
        "".join(f"BenchmarkZero/n={size} 9 0 allocs/op\n" for size in SIZES),
        "".join(f"BenchmarkOverhead/n={10**at} 9 {50 + 10**at} ns/op\n" for at in range(6)),
        "".join(f"BenchmarkBend/n={2**at} 9 {2 ** max(at, 6) * 10} ns/op\n" for at in range(4, 12)),
        "".join(f"BenchmarkStep/n={2**at} 9 {2**at * (1 if at < 6 else 9)} ns/op\n" for at in range(4, 12)),
        "".join(f"BenchmarkName/{name} 9 5 ns/op\n" for name in "abcdefg"),
    ],
)
def test_nothing_leaves_a_trend_that_all_keep_or_that_is_none(text: str) -> None:
    assert find_deviations(read(text)) == []


def test_a_log_without_benchmarks_has_no_sections() -> None:
    assert list(make_benchmark_sections(lines_from_bytes(b"ok  \tx\t1s\n"))) == []
