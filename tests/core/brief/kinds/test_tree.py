import re

import pytest

from ctxkit.core.brief.kinds import tree as kind
from tests.core.brief.kinds.test_table import document, mapped

NPM = (
    "app@1.0.0 /home/me/app\n"
    + "".join(
        f"\u251c\u2500\u252c lib{n}@{n}.1.0\n\u2502 \u251c\u2500\u2500 ms@2.{n % 2}.0\n\u2502 \u2514\u2500\u2500 debug@4.4.3 deduped\n"
        for n in range(20)
    )
    + "\u2514\u2500\u2500 UNMET DEPENDENCY missing-lib@^3.0.0\n"
)
CARGO = (
    "x v0.1.0\n"
    + "\u251c\u2500\u2500 clap v4.5.0\n\u2502   \u2514\u2500\u2500 clap_builder v4.5.1\n\u2514\u2500\u2500 tokio v1.38.0 (*)\n"
)
MAVEN = (
    "[INFO] org.a:app:jar:1.0\n"
    + "[INFO] +- org.b:web:jar:3.2:compile\n[INFO] |  +- org.c:core:jar:3.2:compile\n[INFO] |  |  \\- org.d:yaml:jar:2.2:compile\n[INFO] \\- junit:junit:jar:4.13:test\n"
)
GRADLE = "runtimeClasspath - Runtime classpath.\n+--- org.a:core:5.3.1 -> 5.3.20\n|    \\--- org.a:jcl:5.3.20\n\\--- com.missing:lib:1.0 FAILED\n"


def test_marks_versions_and_ranges() -> None:
    text = mapped(NPM, 900).text
    assert "- Lines 1-62: 62 nodes, 1 root, at most 2 levels deep\n" in text
    assert "- marks: deduped 20, UNMET DEPENDENCY 1\n" in text
    assert "- 62: \u2514\u2500\u2500 UNMET DEPENDENCY missing-lib@^3.0.0\n" in text
    assert "ms 2.0.0 at 3, 2.1.0 at 6" in text
    assert "2-4 lib0@0.1.0 (" in text or "- 2-4 lib0@0.1.0: 3 ms@2.0.0" in text


@pytest.mark.parametrize("target", [300, 600, 1_200])
def test_names_with_several_versions_that_are_not_shown_are_counted(target: int) -> None:
    rows = "".join(f"\u251c\u2500\u2500 lib{n % 90:02}@{n // 90}.{n}.0\n" for n in range(180))
    text = mapped(f"app@1.0.0 /home/me/app\n{rows}", target).text
    section = text.partition("## Names with several versions (90)")[2].partition("\n\n")[0]
    more = re.search(r"^- (\d+) more names?$", section, re.MULTILINE)
    assert len(set(re.findall(r"lib\d\d (?=\d)", section))) + (int(more[1]) if more else 0) == (90 if section else 0)


@pytest.mark.parametrize(
    "text", [NPM, CARGO, MAVEN, GRADLE, ".\n|-- a\n|   |-- b.py\n|   `-- c.py\n`-- d\n\n1 directory, 3 files\n"]
)
def test_drawn_trees_are_detected(text: str) -> None:
    assert kind.sniff(document(text)) >= 0.8


@pytest.mark.parametrize(
    "text",
    [
        "a | b\n--+--\n1 | 2\n3 | 4\n",
        "- a\n- b\n  - c\n",
        "",
        "| a | b |\n|---|---|\n| 1 | 2 |\n",
        "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n",
    ],
)
def test_other_text_is_no_tree(text: str) -> None:
    assert kind.sniff(document(text)) == 0.0
