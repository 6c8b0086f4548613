"""The man pages are those that the commands give today."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from ctxkit.registry import GROUPS
from tools.pages import manual
from tools.pages.roff import escape
from tools.pages.tree import split_help, tree

ROOT = Path(__file__).parents[3]
VERBS = {verb.name: verb for verb in tree().walk()}
PAGES = manual.pages()
MARKS = {r"\-": "-", r"\(aq": "'", r"\(ga": "`", r"\(ha": "^", r"\(ti": "~", r"\&": "", r"\e": "\\"}


def plain(roff: str) -> str:
    """Return roff as the text that a reader sees, on one line."""
    text = re.sub(r"\\f[BIR]", "", roff)
    return " ".join(re.sub(r"\\\(..|\\.", lambda mark: MARKS[mark[0]], text).split())


@pytest.mark.skipif(not (ROOT / "man").is_dir(), reason="no man/ beside the tests")
def test_the_committed_pages_are_the_generated_ones() -> None:
    committed = {path.name: path.read_text() for path in (ROOT / "man").iterdir()}
    assert committed == PAGES, "make pages writes them anew"


def test_every_verb_of_the_registry_has_a_page() -> None:
    names = [f"ctxkit {group} {verb}".split() for group, verbs in GROUPS.items() for verb in verbs]
    assert {"ctxkit.1", *("-".join(words) + ".1" for words in names)} == set(PAGES)


@pytest.mark.parametrize("name", VERBS)
def test_every_option_is_on_its_page_in_synopsis_and_options(name) -> None:
    page = PAGES[f"{VERBS[name].page}.1"]
    synopsis, options = page.partition(".SH SYNOPSIS")[2].partition(".SH OPTIONS")[::2]
    for option in (option for option in VERBS[name].options if not option.hidden):
        assert escape(f".OP {min(option.opts, key=len)}") in synopsis.replace(".YS", "")
        for spelling in option.opts:
            assert rf"\fB{escape(spelling)}\fR" in options


@pytest.mark.parametrize("name", VERBS)
def test_every_argument_is_in_the_synopsis(name) -> None:
    synopsis = plain(PAGES[f"{VERBS[name].page}.1"].partition(".SH SYNOPSIS")[2].partition(".SH")[0])
    for argument in VERBS[name].arguments:
        assert argument.make_metavar(VERBS[name].context) in synopsis


@pytest.mark.parametrize("name", VERBS)
def test_every_page_has_the_sections_of_a_man_page_in_order(name) -> None:
    sections = re.findall(r"^\.SH (.+)$", PAGES[f"{VERBS[name].page}.1"], re.MULTILINE)
    usual = ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "ENVIRONMENT", "EXAMPLES", "SEE ALSO"]
    assert [section for section in sections if section in usual] == usual


@pytest.mark.parametrize("name", VERBS)
def test_every_example_of_the_help_is_on_the_page(name) -> None:
    page = plain(PAGES[f"{VERBS[name].page}.1"].partition(".SH EXAMPLES")[2])
    assert split_help(VERBS[name].command)[1]
    for example in split_help(VERBS[name].command)[1]:
        assert f"$ {example}" in page


def test_every_page_that_a_page_refers_to_exists() -> None:
    for text in PAGES.values():
        for name in re.findall(r"^\.BR (\S+) \(1\)|\\fB(ctxkit\S*?)\\fR\(1\)", text, re.MULTILINE):
            assert plain("".join(name)) + ".1" in PAGES


@pytest.mark.slow
def test_pages_name_no_date_and_are_the_same_each_time() -> None:
    assert manual.pages() == PAGES
    assert '.TH CTXKIT\\-GATE 1 ""' in PAGES["ctxkit-gate.1"]


@pytest.mark.quick_cases(17)
@pytest.mark.skipif(not shutil.which("groff"), reason="groff is not installed")
@pytest.mark.parametrize("name", sorted(PAGES))
def test_a_formatter_has_nothing_to_say_about_a_page(name) -> None:
    command = ["groff", "-man", "-Tutf8", "-ww", "-rLL=100n"]
    done = subprocess.run(command, input=PAGES[name].encode(), capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")
