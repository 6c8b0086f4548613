"""Tracebacks are found in other output, with their exceptions and frames."""

import pytest

from ctxkit.core.brief.crashes.tracebacks import TracebackReader

PYTHON = """\
Traceback (most recent call last):
  File "/app/a.py", line 1, in f
    g()
  File "/usr/lib/python3.11/json/x.py", line 2, in g
    raise KeyError("a")
KeyError: 'a'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/app/b.py", line 3, in <module>
    f()
ValueError: bad
"""
JAVA = """\
Exception in thread "main" java.lang.IllegalStateException: no
\tat com.example.App.run(App.java:3)
\tat java.base/java.lang.Thread.run(Thread.java:833)
Caused by: java.io.IOException: gone
\tat com.example.Io.read(Io.java:9)
\t... 2 more
"""


def read(text):
    traces = []
    reader = TracebackReader(traces.append)
    for number, line in enumerate(text.split("\n"), 1):
        reader.read_line(number, line)
    reader.finish()
    return traces


def test_a_chain_of_python_is_one_trace() -> None:
    (trace,) = read(f"before\n{PYTHON}after\n")
    assert (trace.start, trace.end, trace.python, trace.frame_count) == (2, 14, True, 3)
    assert trace.final_exception.text.strip() == "ValueError: bad"
    assert trace.root_exception.text.strip() == "KeyError: 'a'"
    assert "/app/a.py" in trace.root_exception.own.text


def test_the_cause_of_java_comes_last() -> None:
    (trace,) = read(JAVA)
    assert trace.frame_count == 3
    assert trace.final_exception.text.startswith("Exception in thread")
    assert "gone" in trace.root_exception.text
    assert "App.java:3" in trace.final_exception.own.text


@pytest.mark.parametrize("text", ["no trace here\n", "Traceback of a debt\n", "  at home\n"])
def test_other_text_holds_none(text: str) -> None:
    assert read(text) == []
