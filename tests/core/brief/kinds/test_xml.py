import pytest

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.kinds import xml as kind
from ctxkit.core.text import lines

POM = """\
<?xml version="1.0"?>
<project>
  <artifactId>x</artifactId>
  <dependencies>
    <dependency><artifactId>a</artifactId><version>1.2.3</version></dependency>
    {dependencies}
  </dependencies>
</project>
""".format(dependencies="\n    ".join(f"<dependency><artifactId>b{at}</artifactId></dependency>" for at in range(24)))


def test_elements_have_types_and_lines(trial) -> None:
    text = trial(kind).map(POM)
    assert '- Line 3: .project.artifactId: string "x"' in text
    assert "- Lines 5-29: .project.dependencies.dependency: array of 25 elements" in text
    assert "- elements: <artifactId> ×26, <dependency> ×25" in text


def test_few_records_among_other_elements_are_left_to_the_generic_map(trial) -> None:
    settings = "<a><b>1</b><c>2</c><d>3</d></a>\n".replace("><", ">\n<")
    assert trial(kind).outline(f"<?xml version='1.0'?>\n<root>\n{settings}</root>\n") is None


def test_records_are_a_schema_and_what_is_odd_has_its_lines(trial) -> None:
    rows = "".join(f"<row id='{at}'>\n<size>{at % 7}</size>\n</row>\n" for at in range(90))
    text = trial(kind).map(f"<rows>\n{rows}<row id='5'>\n<size>x</size>\n<odd/>\n</row>\n</rows>\n")
    assert "- Line 273: .rows.row[].size is a string in 1 of 91" in text
    assert '.rows.row[]["@id"] is 5 a second time (here .rows.row[90], first in [5])' in text


def test_where_it_breaks_is_said(trial) -> None:
    text = trial(kind).map("<?xml version='1.0'?>\n<a>\n" + "<b><c>1</c></b>\n" * 40 + "</d>\n")
    assert "- Line 43: BROKEN: mismatched tag; nothing after it is in this map\n  - 43: </d>" in text


@pytest.mark.parametrize(
    ("text", "name", "known"),
    [
        (POM, "stdin", "xml"),
        ("<svg xmlns='x'><g><path d='1'/></g></svg>", "a.svg", "xml"),
        ("<rss><channel><item>x</item><item>y</item></channel></rss>", "stdin", "xml"),
        ("<?xml version='1.0'?><testsuites><testsuite name='a'/></testsuites>", "stdin", "junit xml"),
        ("<!DOCTYPE html><html><body><p>x</p></body></html>", "stdin", "html"),
        ("<?xml version='1.0'?><html><body><p>x</p></body></html>", "stdin", "html"),
        ("<div><p>x</p><p>y</p></div>", "stdin", "not xml"),
        ("<a@b.c> wrote: hello <x> there </x>", "stdin", "not xml"),
    ],
)
def test_xml_is_known_and_html_is_not_taken(trial, text: str, name: str, known: str) -> None:
    found = trial(kind).known(text, name)
    assert (found == "xml") == (known == "xml")


def test_nothing_breaks_it(trial) -> None:
    for text in ("", "<", "<a", "<a>", "<a/>", "\n<a><b/></a>", "<a>" * 900, "<a>&x;</a>", "<a><b/>" + "x" * 9_000):
        trial(kind).check(text)


def test_one_long_line_is_told_in_bytes() -> None:
    data = ("<rows>" + "".join(f"<row><n>{at}</n></row>" for at in range(900)) + "<row><n>x</n></row></rows>").encode()
    made = kind.outline(InputDocument(lines.lines_from_bytes(data), lambda at, n: data[at : at + n], len, 9_000))[0]
    assert made.path == ""
    odd = made.sections[1].entries[0]
    assert odd.label.startswith(".rows.row[].n is a string in 1 of 901")
    assert (odd.in_bytes, data[odd.start - 1 : odd.end]) == (True, b"<n>x</n>")


def test_blanks_before_the_declaration_move_no_line(trial) -> None:
    text = trial(kind).map("\n  \n" + POM)
    assert '- Line 5: .project.artifactId: string "x"' in text
    assert "- Lines 7-31: .project.dependencies.dependency: array of 25 elements" in text


def test_what_is_not_well_formed_is_said_and_read_past(trial) -> None:
    text = trial(kind).map(POM.replace("<artifactId>x<", "<artifactId>x & y\x01&nbsp;<"))
    assert "- Line 3: BROKEN: not well-formed (invalid token); read on past it" in text
    assert '.project.artifactId: string "x & y &nbsp;"' in text
    assert "- Lines 5-29: .project.dependencies.dependency: array of 25 elements" in text


def test_what_cannot_be_mended_is_mapped_up_to_there(trial) -> None:
    broken = POM.replace("</dependencies>", "</dependences>") + "<!-- x -->\n" * 40
    text = trial(kind).map(broken)
    assert "- Line 30: BROKEN: mismatched tag; nothing after it is in this map" in text
    assert "- Lines 5-29: .project.dependencies.dependency: array of 25 elements" in text
