"""The hints of formats that are not read lead to a conversation that is read."""

import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from ctxkit.core.chat.reading.format_names import FORMAT_NAMES
from ctxkit.core.chat.reading.open_content import open_content
from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.chat.reading.unread_format_table import UNREAD_FORMATS
from ctxkit.core.chat.validity.invariants import find_breaches
from tests.core.chat.unread_samples import RESULT, SAMPLES, Sample, find_row

CONVERTED = [sample for sample in SAMPLES if sample.words]


def find_command(sample: Sample) -> list[str]:
    """Return the command in the hint of a sample's format, as a shell reads it; FILE is its last word."""
    words = shlex.split(find_row(sample).hint.partition(": ")[2])
    assert words[0] == "jq"
    assert words[-1] == "FILE"
    return words


@pytest.mark.skipif(not shutil.which("jq"), reason="jq is not installed")
@pytest.mark.quick_cases(8)
@pytest.mark.parametrize("sample", CONVERTED, ids=lambda sample: sample.name)
def test_jq_makes_the_conversation_readable(sample: Sample, tmp_path) -> None:
    file = tmp_path / "chat"
    file.write_bytes(sample.content)
    *command, _ = find_command(sample)
    done = subprocess.run([*command, file], capture_output=True, check=True)
    assert done.stderr == b""
    transcript = parse_transcript(done.stdout, "chat")
    assert not find_breaches(transcript, tuple(range(len(transcript.records))))
    said = []
    for record in transcript.records:
        said += [("call", call.name) for call in record.calls] + [("result", result.text) for result in record.results]
        said += [(record.role, record.words.strip())] if record.words.strip() else []
    assert len(said) == len(sample.words)
    for (role, words), (expected_role, expected_words) in zip(said, sample.words, strict=True):
        assert role == expected_role
        assert expected_words in words
    assert open_content(iter([done.stdout]), json.loads, "chat").format is transcript.format


def test_each_program_is_tested() -> None:
    assert {row.name for row in UNREAD_FORMATS if row.program} == {find_row(sample).name for sample in CONVERTED}


def test_each_hint_is_one_line_and_has_the_form_of_a_command() -> None:
    for row in UNREAD_FORMATS:
        assert row.advice
        assert row.hint.isprintable()
        assert bool(row.program) == row.hint.endswith(" FILE")
        assert row.shapes or row.prefixes


def test_a_result_is_converted_whole() -> None:
    assert all((("result", RESULT) in sample.words) == (("call", "ls") in sample.words) for sample in CONVERTED)


def test_the_page_lists_all_formats() -> None:
    page = (Path(__file__).parents[4] / "docs/formats.md").read_text()
    rows = re.findall(r"^\| (.+) \| (.+) \|$", page.partition("## Known by name")[2], re.MULTILINE)
    assert rows[1:] == [(row.name, f"{row.advice}: jq" if row.program else row.advice) for row in UNREAD_FORMATS]
    assert set(re.findall(r"`([\w-]+)`", page.partition("## Read")[2].partition("\n## ")[0])) >= set(FORMAT_NAMES)
