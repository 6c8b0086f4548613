"""The man pages are those that the commands give today."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ctxkit import manual, prose
from ctxkit.core.exit import Exit
from ctxkit.edge.settings import KEYS
from ctxkit.registry import GROUPS

ROOT = Path(__file__).parents[1]
VERBS = {verb.name: verb for verb in manual.tree().walk()}
PAGES = manual.pages()
MARKS = {r"\-": "-", r"\(aq": "'", r"\(ga": "`", r"\(ha": "^", r"\(ti": "~", r"\&": "", r"\e": "\\"}


def plain(roff: str) -> str:
    """Return roff as the text that a reader sees, on one line."""
    text = re.sub(r"\\f[BIR]", "", roff)
    return " ".join(re.sub(r"\\\(..|\\.", lambda mark: MARKS[mark[0]], text).split())


@pytest.mark.skipif(not (ROOT / "man").is_dir(), reason="no man/ beside the tests")
def test_the_committed_pages_are_the_generated_ones():
    committed = {path.name: path.read_text() for path in (ROOT / "man").iterdir()}
    assert committed == PAGES, "make pages writes them anew"


def test_every_verb_of_the_registry_has_a_page():
    names = [f"ctxkit {group} {verb}".split() for group, verbs in GROUPS.items() for verb in verbs]
    assert {"ctxkit.1", *("-".join(words) + ".1" for words in names)} == set(PAGES)


@pytest.mark.parametrize("name", VERBS)
def test_every_option_is_on_its_page_in_synopsis_and_options(name):
    page = PAGES[f"{VERBS[name].page}.1"]
    synopsis, options = page.partition(".SH SYNOPSIS")[2].partition(".SH OPTIONS")[::2]
    for option in VERBS[name].options:
        assert manual.typed(f".OP {min(option.opts, key=len)}") in synopsis.replace(".YS", "")
        for spelling in option.opts:
            assert rf"\fB{manual.typed(spelling)}\fR" in options


@pytest.mark.parametrize("name", VERBS)
def test_every_argument_is_in_the_synopsis(name):
    synopsis = plain(PAGES[f"{VERBS[name].page}.1"].partition(".SH SYNOPSIS")[2].partition(".SH")[0])
    for argument in VERBS[name].arguments:
        assert argument.make_metavar(VERBS[name].context) in synopsis


@pytest.mark.parametrize("name", VERBS)
def test_every_page_has_the_sections_of_a_man_page_in_order(name):
    sections = re.findall(r"^\.SH (.+)$", PAGES[f"{VERBS[name].page}.1"], re.MULTILINE)
    usual = ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "ENVIRONMENT", "EXAMPLES", "SEE ALSO"]
    assert [section for section in sections if section in usual] == usual


@pytest.mark.parametrize("name", VERBS)
def test_every_example_of_the_help_is_on_the_page(name):
    page = plain(PAGES[f"{VERBS[name].page}.1"].partition(".SH EXAMPLES")[2])
    assert manual.told(VERBS[name].command)[1]
    for example in manual.told(VERBS[name].command)[1]:
        assert f"$ {example}" in page


def test_every_page_that_a_page_refers_to_exists():
    for text in PAGES.values():
        for name in re.findall(r"^\.BR (\S+) \(1\)|\\fB(ctxkit\S*?)\\fR\(1\)", text, re.MULTILINE):
            assert plain("".join(name)) + ".1" in PAGES


def test_every_setting_is_described_and_every_description_is_of_a_setting():
    assert list(prose.KEYS) == list(KEYS)
    assert all(f"CTXKIT_{key.upper()}" in PAGES["ctxkit.1"] for key in KEYS)


def test_every_status_is_described():
    assert set(prose.STATUSES) == set(Exit)
    assert all(rf"\fB{status.value}\fR" in PAGES["ctxkit.1"] for status in Exit)


def test_prose_is_about_verbs_that_there_are():
    told_of = {*prose.SECTIONS, *prose.STATUSES_OF, *prose.SEE_ALSO, *sum(prose.SEE_ALSO.values(), ())}
    assert told_of <= set(VERBS)


def test_pages_name_no_date_and_are_the_same_each_time():
    assert manual.pages() == PAGES
    assert '.TH CTXKIT\\-GATE 1 ""' in PAGES["ctxkit-gate.1"]


@pytest.mark.parametrize(
    ("text", "roff"),
    [
        ("a-b", r"a\-b"),
        (r"\b", r"\eb"),
        ("sed -n '1,5p'", r"sed \-n \(aq1,5p\(aq"),
        ("`~^", r"\(ga\(ti\(ha"),
        ("né…", r"n\[u00E9]\[u2026]"),
    ],
)
def test_what_is_typed_comes_out_as_it_is_typed(text, roff):
    assert manual.typed(text) == roff


@pytest.mark.parametrize(
    ("text", "roff"),
    [
        ("a read-only file", "a read-only file"),
        ("as --max-age does", r"as \fB\-\-max\-age\fR does"),
        ("in -20: or 2026-11-21", r"in \-20: or 2026\-11\-21"),
        ("set CTXKIT_MODEL, then", r"set \fBCTXKIT_MODEL\fR, then"),
        ("see ctxkit-gate(1) too", r"see \fBctxkit\-gate\fR(1) too"),
        ("One. Two? Three", "One.\nTwo?\nThree"),
        (".profile", r"\&.profile"),
        ("Ends here. .profile", "Ends here. .profile"),
    ],
)
def test_prose_is_a_sentence_a_line_with_what_is_typed_in_bold(text, roff):
    assert manual.said(text) == roff


@pytest.mark.parametrize(
    ("verb", "option", "text"),
    [
        ("gate", "model", "Model whose window and tokenizer hold. Setting model (CTXKIT_MODEL)."),
        ("gate", "reserve", "Tokens kept for the answer. Setting reserve (CTXKIT_RESERVE); default 20%."),
        ("gate", "strict", "Fail where content would otherwise pass with a warning. Setting strict (CTXKIT_STRICT)."),
        ("brief", "target", "Tokens the map may take. Default 2000."),
        ("gate", "check", "Print nothing; answer 0 if it fits, 1 if not."),
    ],
)
def test_the_help_of_an_option_names_its_setting_and_its_default(verb, option, text):
    (found,) = (one for one in VERBS[f"ctxkit {verb}"].options if one.name == option)
    assert manual.option_text(found) == text


def test_a_block_of_prose_is_a_paragraph_a_list_or_literal():
    text = "Some\ntext.\n\n    $ .hidden -x\n\nterm\n    its meaning,\n    in full.\nother\n    more."
    assert list(manual.blocks(text)) == [
        *(".PP", "Some text."),
        *(".PP", ".RS 4", ".EX", r"$ .hidden \-x", ".EE", ".RE"),
        *(".TP", r"\fBterm\fR", "its meaning, in full."),
        *(".TP", r"\fBother\fR", "more."),
    ]


def test_a_line_that_begins_like_a_request_is_text():
    assert manual.literal([".SH no", "'quoted'"])[3:5] == [r"\&.SH no", r"\(aqquoted\(aq"]


@pytest.mark.skipif(not shutil.which("groff"), reason="groff is not installed")
@pytest.mark.parametrize("name", sorted(PAGES))
def test_a_formatter_has_nothing_to_say_about_a_page(name):
    command = ["groff", "-man", "-Tutf8", "-ww", "-rLL=100n"]
    done = subprocess.run(command, input=PAGES[name].encode(), capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("module", ["manual", "completion"])
def test_a_directory_is_written_checked_and_freed_of_stale_files(module, tmp_path):
    def publish(*args):
        done = subprocess.run([sys.executable, "-m", f"ctxkit.{module}", *args], capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr

    made = tmp_path / "made"
    assert publish(str(made)) == (0, "", "")
    assert publish("--check", str(made)) == (0, "", "")
    stale = made / ("ctxkit-gone.1" if module == "manual" else "_ctxkit_gone")
    kept, changed = made / "other.txt", min(made.iterdir())
    stale.write_text("old")
    kept.write_text("not ours")
    changed.write_text("edited")
    assert publish("--check", str(made)) == (1, "", "".join(f"{path} is stale\n" for path in sorted([stale, changed])))
    assert publish(str(made)) == (0, "", "")
    assert kept.exists()
    assert not stale.exists()
    assert publish(str(made), "--check") == (0, "", "")
