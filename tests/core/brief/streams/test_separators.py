import pytest

from ctxkit.core.brief.streams.separators import find_separated_parts
from tests.core.brief.kinds.test_table import document

STREAMS = {
    "files": "==> a/b.yaml <==\nkey: 1\n\n==> a/c.yaml <==\nkey: 2\n",
    "comments": "ok\n" + "".join(f"# configuration file /etc/a{n}.conf:\nlisten {n};\n" for n in range(4)),
    "tox": "".join(f"{name}: commands[0]> pytest\nrow\nrow\n{name}: exit 0\n" for name in ("py311", "lint", "docs")),
    "nox": "".join(f"nox > Running session {name}\nrow\nnox > done\n" for name in ("tests-3.11", "lint", "docs")),
    "prompts": "".join(f"$ command {n}\noutput {n}\n" for n in range(3)),
    "hosts": "".join(f"dev@box:~/src$ command {n}\noutput {n}\n" for n in range(3)),
    "queries": "".join(f"shop=# select {n};\n column\n------\n" for n in range(3)),
    "trace": "".join(f"+ command {n}\noutput {n}\n" for n in range(4)),
    "rulers": "".join(f"### command {n} ###\noutput {n}\n" for n in range(3)),
    "titles": "".join(f"=== command {n}\noutput {n}\n" for n in range(3)),
    "bisect": "".join(f"Bisecting: {n} revisions left to test\nrow\n" for n in (7, 3)) + f"{'a' * 40} is the first bad commit\n",
}
OTHERS = {
    "yaml": "".join(f"kind: A{n}\nname: b\n---\n" for n in range(6)),
    "underlines": "".join(f"Title {n} {chr(97 + n) * 3}\n-----------\ntext{n * 'x'} here\n" for n in range(6)),
    "records": "".join(f"entry {n}\nrow\n------\n" for n in range(6)),
    "patch": "--- a/x\n+++ b/x\n@@ -1 +1,4 @@\n+ a\n+ b\n+ c\n context\n",
    "late titles": "text\n" * 30 + "=== a\nrow\n=== b\nrow\n",
    "the same title": "".join("=== again\nrow\n" for _ in range(60)),
    "nothing between": "==> a <==\n==> b <==\n==> c <==\n",
    "headings": "# Title\ntext\n\n## Part\ntext\n\n## Other\ntext\n",
    "messages": "".join(f"=== Trying {n}...\n=== Connected to {n}.\n <- 220\n" for n in range(4)),
    "diff stat": "".join(f"+ {n}\n" for n in range(9)),
}


@pytest.mark.parametrize("name", STREAMS)
def test_separators_begin_parts(name: str) -> None:
    text = STREAMS[name]
    stream = find_separated_parts(document(text))
    assert stream is not None
    assert stream.confidence > 0.8
    ends = [part.end for part in stream.parts]
    assert [part.start for part in stream.parts] == [1, *(end + 1 for end in ends[:-1])]
    assert ends[-1] == text.count("\n")
    rows = text.split("\n")
    assert all(part.title in rows[part.title_line - 1] for part in stream.parts if part.title)
    assert len([part for part in stream.parts if part.title]) >= 2


@pytest.mark.parametrize("name", OTHERS)
def test_other_texts_have_no_separators(name: str) -> None:
    assert find_separated_parts(document(OTHERS[name])) is None


def test_lines_of_one_environment_stay_together() -> None:
    stream = find_separated_parts(document(STREAMS["tox"]))
    assert [(part.title, part.start, part.end) for part in stream.parts] == [("py311", 1, 4), ("lint", 5, 8), ("docs", 9, 12)]


def test_programs_that_rule_hundreds_of_lines_have_no_parts() -> None:
    assert find_separated_parts(document("".join(f"=== row {n}\ntext\n" for n in range(400)))) is None
    assert find_separated_parts(document("".join(f"+ x={n}\n+ echo {n}\n{n}\n" for n in range(400)))) is None
