import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ctxkit.core.brief.kinds import hexdump as kind
from tests.example_counts import count_examples

DATA = b"SQLite format 3\0" + bytes(160) + b"\x01\x02the rotation is on Tuesday" + bytes(4) + b"\xff" * 96


def dump(data: bytes, form: str) -> str:
    rows = []
    for at in range(0, len(data), 16):
        part = data[at : at + 16]
        text = "".join(chr(sign) if 32 <= sign < 127 else "." for sign in part)
        pairs = " ".join(part[i : i + 2].hex() for i in range(0, len(part), 2))
        single = " ".join(f"{sign:02x}" for sign in part)
        halves = "  ".join(" ".join(f"{sign:02x}" for sign in part[i : i + 8]) for i in (0, 8))
        rows.append({"xxd": f"{at:08x}: {pairs:39}  {text}", "hexdump": f"{at:08x}  {halves:48}  |{text}|", "od": f"{at:07d} {single:47}  >{text}<"}[form])
    return "\n".join(rows) + "\n"


@pytest.mark.parametrize("form", ["xxd", "hexdump", "od"])
def test_regions_and_texts_are_named(trial, form):
    text = trial(kind).map(dump(DATA, form))
    assert "- Lines 1-19: 304 bytes in 19 rows" in text
    assert "- Lines 2-11: zeros from 0" in text
    assert "- Lines 14-19: bytes ff from 0" in text
    assert "- Lines 12-13: 0000" in text
    assert "the rotation is on Tuesday" in text


def test_folded_rows_are_counted(trial):
    rows = dump(DATA, "hexdump").split("\n")
    text = trial(kind).map("\n".join([*rows[:3], "*", *rows[11:-1], "00000130\n"]))
    assert "1 line `*` for equal rows" in text


@pytest.mark.parametrize("text", ["00000000 T main\n" * 30, "2026-01-01 abc\n" * 30, "deadbeef: feed\n" * 3, "abcdef01 x\n" * 30])
def test_other_content_is_left_alone(trial, text):
    assert trial(kind).known(text) != "hexdump"


@given(st.lists(st.sampled_from(["*", "0000000a", "00000010: 6162 6364  abcd", "x", "", "00000010: zz"])))
@settings(max_examples=count_examples(50), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_nothing_breaks_it(trial, rows):
    trial(kind).check("\n".join([dump(DATA, "xxd"), *rows]), 300)


@pytest.mark.slow
def test_the_end_is_in_small_maps(trial):
    rows = dump(b"a sentence of many words, and some bytes \x00\x01\x02 between them" * 300, "xxd").rstrip("\n")
    assert rows.split("\n")[-1] in trial(kind).map(rows, 300)
