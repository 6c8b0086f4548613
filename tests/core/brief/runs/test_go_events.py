from ctxkit.core.brief.runs.go_events import collect_failures, unescape
from ctxkit.core.text import lines

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
