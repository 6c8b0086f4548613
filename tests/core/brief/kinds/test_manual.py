import pytest

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.kinds import manual
from ctxkit.core.text import lines

PAGE = """GIT-LOG(1)                        Git Manual                        GIT-LOG(1)

NAME
       git-log - Show commit logs

OPTIONS
       Options that do something, and some
       -n that is only mentioned.

       -n <number>, --max-count=<number>
           Limit the number of commits.

       --follow
           Continue beyond renames, but not
           --follow in the middle.

   Diff Formatting
       These change diffs.

       -p, -u
           Generate patch.

SEE ALSO
       git(1)
"""
HELP = """
Usage:
  tool [options] <command>

Commands:
  build, b    Build it
  test        Test it

Options:
  -h, --help            Show this
  -o, --output <FILE>   Write there
      --jobs=N          So many at once
                        --deep is no option here
  --verbose
"""
RST = """Title
=====

Some *text*, with ``code``.

First part
----------

.. note:: x

:ref:`there`

Below
~~~~~
Text.

Second part
-----------
Text.
"""


def document(text, name=""):
    content = lines.lines_from_bytes(text.encode())
    return InputDocument(content, content.read, len, 2000, name)


def tree(entries):
    return {entry.label: (entry.start, entry.end, tree(entry.children)) for entry in entries}


def sections(text, name=""):
    *_, poorest = manual.outline(document(text, name))
    return tree(poorest.sections[1].entries)


def test_a_man_page_has_its_chapters_with_the_lines_of_each_option() -> None:
    assert sections(PAGE) == {
        "NAME": (3, 5, {}),
        "OPTIONS": (
            6,
            22,
            {
                "-n <number> --max-count=<number>": (10, 12, {}),
                "--follow": (13, 16, {}),
                "Diff Formatting": (17, 22, {"-p -u": (20, 22, {})}),
            },
        ),
        "SEE ALSO": (23, 24, {}),
    }


def test_help_has_its_options_and_commands() -> None:
    found = sections(HELP)
    assert set(found) == {"Usage", "Commands", "Options"}
    assert set(found["Commands"][2]) == {"build b", "test"}
    assert set(found["Options"][2]) == {"-h --help", "-o --output <FILE>", "--jobs=N", "--verbose"}
    assert found["Options"][2]["--jobs=N"][:2] == (12, 13)


def test_underlined_headings_have_the_level_of_their_rule() -> None:
    assert sections(RST, "a.rst") == {
        "Title": (1, 19, {"First part": (6, 16, {"Below": (13, 16, {})}), "Second part": (17, 19, {})})
    }


def test_the_richest_map_quotes_how_a_chapter_without_options_begins() -> None:
    richest, *_ = manual.outline(document(PAGE))
    name = richest.sections[1].entries[0]
    assert [(entry.label, entry.start) for entry in name.children] == [("git-log - Show commit logs", 4)]


def test_an_rfc_has_numbered_headings() -> None:
    text = "1.  Introduction\n\n   Text.\n\n1.1.  Terms\n\n   Text 1.2 of.\n\n2.  Rules\n\n   Text.\n"
    assert sections(text) == {"1.  Introduction": (1, 8, {"1.1.  Terms": (5, 8, {})}), "2.  Rules": (9, 11, {})}


@pytest.mark.parametrize(
    ("text", "name", "least"), [(PAGE, "", 0.9), (HELP, "", 0.8), (RST, "", 0.8), (RST, "a.rst", 0.9)]
)
def test_manuals_are_told(text: str, name: str, least: float) -> None:
    assert manual.sniff(document(text, name)) >= least


@pytest.mark.parametrize(
    "text",
    [
        "# Title\n\nText.\n\n## Part\n\n- `--option` does it\n" * 3,
        "def main():\n    parser.add_argument('--jobs')\n    return 1\n" * 10,
        "usage: tool [-h] FILE\ntool: error: the following arguments are required: FILE\n",
        "============ test session starts ============\nplatform linux\n\n===== FAILURES =====\n" * 3,
        "ERROR\n  at line 3\nWARNING\n  at line 4\n",
        "2026-01-01 INFO started\n" * 50,
    ],
)
def test_other_texts_are_no_manuals(text: str) -> None:
    assert manual.sniff(document(text)) < 0.5


def test_text_without_headings_or_options_has_no_map() -> None:
    assert manual.outline(document("just\n\nsome text\n")) is None


def test_disassembly_is_no_manual() -> None:
    row = "              {0} LOAD_FAST                {1} (self)\n"
    text = "".join(f"{n}           2 RESUME                   0\n\n" + row.format(n * 2, n) * 3 for n in range(2, 60))
    assert manual.sniff(document(text)) == 0.0


def test_a_command_above_its_description_is_counted(trial):
    page = "GIT(1)      Manual      GIT(1)\n\nNAME\n       git - track\n\nCOMMANDS\n   Main Commands\n"
    commands = "".join(f"       {name}\n           Do this with the tree, and\n           more.\n\n" for name in ("add", "mask UNIT...", "push [REF]"))
    text = trial(manual).map(page + commands + "NOTES\n       word\n       at the same depth\n")
    assert "3 options and commands" in text
    assert "8 add, 12 mask, 16 push" in text
