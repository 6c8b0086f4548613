from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.brief import kind_detection
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.text import lines
from tests.example_counts import count_examples


def document(data: bytes, name: str = "", forced: str = "") -> InputDocument:
    found = lines.lines_from_bytes(data)
    return InputDocument(found, found.read, len, 500, name, forced)


def test_the_kinds_are_the_files_of_their_folder_in_order() -> None:
    names = [kind.__name__.rpartition(".")[2] for kind in kind_detection.all_kinds()]  # type: ignore[attr-defined]
    files = [path.stem for path in Path(kind_detection.kinds.__path__[0]).glob("*.py") if path.stem != "__init__"]  # type: ignore[attr-defined]
    assert names == list(kind_detection.KIND_NAMES) == sorted(files)


def test_no_two_kinds_answer_to_the_same_word() -> None:
    words = [word for kind in kind_detection.all_kinds() for word in {kind.NAME, *kind.TYPES}]
    assert len(words) == len(set(words))
    assert kind_detection.list_content_types() == sorted(set(words))


def test_what_the_user_names_is_certain() -> None:
    for word in kind_detection.list_content_types():
        kind, sure = kind_detection.rank_kinds(document(b'{"a": 1}', "x.json", word))[0]
        assert word in (kind.NAME, *kind.TYPES)
        assert sure == 1.0


def test_an_unknown_name_raises_key_error() -> None:
    with pytest.raises(KeyError):
        kind_detection.find_kind("nothing")


@pytest.mark.parametrize("data", [b"", b"\n", b"just a few words\nof no kind at all\n", b"one"])
def test_what_no_kind_claims_is_text(data: bytes) -> None:
    kind, sure = kind_detection.rank_kinds(document(data))[0]
    assert kind is kind_detection.load_fallback()
    assert sure >= 0.5


@settings(max_examples=count_examples(60), deadline=None)
@given(st.one_of(st.binary(max_size=200), st.text(alphabet='ab{}[]",:=- \n\t#|0.', max_size=200).map(str.encode)))
def test_every_kind_is_sure_from_0_to_1_and_none_fails_on_strange_input(data) -> None:
    for kind in kind_detection.all_kinds():
        assert 0 <= kind.sniff(document(data)) <= 1


LICENCE = "/*\n" + " * Licensed to whom it may concern, under terms that fill the first page.\n" * 40 + " */\n"
JAVA = """package org.example;

import java.util.List;
import java.util.Map;

public class Gate {
    private final Map<String, Integer> held = new HashMap<>();

    public int size() {
        return held.size();
    }

    public void put(String key, int value) {
        if (value > 0) {
            held.put(key, value);
        }
    }
}
"""
CODE = """def held(path):
    return os.path.exists(path)


@cache
class Gate:
    def __init__(self, path):
        self.path = path
        self.open = False

    def swing(self):
        if self.open:
            return None
        self.open = True
        return self.path
"""
README = """<p align="center">
  <img src="logo.png">
</p>
<h1 align="center">Gate</h1>

A tool that **lets** content in.

## Installation

- `pip install gate`
- read [this](x.md)

## Usage

Run **it**.
"""
LOG = "".join(f"2026-03-01T10:15:{at:02} INFO item {at} done\n" for at in range(60))
COMMANDS = "gate controls the gate.\n\nBasic Commands:\n" + "".join(
    f"  {word:<12}  Do what {word} does\n" for word in ["open", "close", "list", "show", "move", "copy", "drop", "help"]
)
RAGGED = "version,codename,series,created,eol\n" + "".join(f"{at},Name{at},name{at}{',2020-01-01' * (at % 3)}\n" for at in range(9))
SENTENCES = "id,question,answer\n" + "".join(f'{at},"Why is it so, and when?","Because it is, at times."\n' for at in range(20))
STACKED = "".join(f"nova-api.log.1.2017-05-16_13:53:08 2017-05-16 00:00:{at:02}.008 25746 INFO nova served {at}\n" for at in range(40))
SYSLOG = "".join(f"<165>1 2003-08-24T05:14:{at:02}.000003-07:00 host proc 8710 - - said {at}\n" for at in range(9))
QUOTED = JAVA.replace("package", "// a sample\npackage") + "/*\n" + LOG + "*/\n"


@pytest.mark.parametrize(
    ("text", "name", "wanted"),
    [
        (LICENCE + JAVA, "", "source"),
        (QUOTED, "", "source"),
        ("import os\n\n# How many there may be\n\nMOST = 9\n\n" + CODE, "", "source"),
        (README, "", "text"),
        (COMMANDS, "", "text"),
        (RAGGED, "", "csv"),
        (RAGGED, "a.csv", "csv"),
        (SENTENCES, "", "csv"),
        (STACKED, "", "log"),
        (SYSLOG, "", "log"),
        ("<!DOCTYPE html>\n<html><body><pre>\n" + LOG + "</pre></body></html>\n", "", "html"),
        ("x" * 20_000 + "\n" + "worker took 4675 ms\n" * 2_000, "", "text"),
    ],
)
def test_what_looks_like_another_kind_is_told_apart(text, name: str, wanted: str) -> None:
    assert wanted == kind_detection.rank_kinds(document(text.encode(), name))[0][0].NAME


def test_text_of_an_8_bit_encoding_is_not_binary() -> None:
    page = "<html><body>" + "<p>\u05e9\u05dc\u05d5\u05dd</p>\n" * 90 + "</body></html>\n"
    assert kind_detection.rank_kinds(document(page.encode("iso-8859-8")))[0][0].NAME == "html"
