"""Contents are counted and printed in rows, and a file that cannot be read does not end the count."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.count.amount import Amount
from ctxkit.core.count.content import ContentTokens, to_plain
from ctxkit.core.errors import Exit, MissingInputError
from ctxkit.core.text.limits import WorkerDiedError
from ctxkit.edge.file_counter import (
    CountDisplay,
    FileCounter,
    ItemAnswers,
    decode_name,
    encode_line,
    format_range,
    format_table,
    read_count,
    sum_results,
    title_of,
)
from tests.core.edit.talk import CHAT, ORDER


@pytest.fixture
def files(tmp_path: Path):
    (tmp_path / "a.txt").write_text("word " * 30)
    (tmp_path / "b.txt").write_text("two\nlines\n")
    (tmp_path / "chat.json").write_text(json.dumps(CHAT))
    return tmp_path


def count(capfdbinary, names, *, by="file", limit=None, **given):
    status = FileCounter(ORDER, CountDisplay(by, **given)).count_files([str(name) for name in names], limit)
    written = capfdbinary.readouterr()
    return status, written.out.decode(), written.err.decode()


def test_several_files_have_a_total(files, capfdbinary) -> None:
    status, out, err = count(capfdbinary, [files / "a.txt", files / "b.txt"])
    rows = [line.split() for line in out.splitlines()]
    assert status == Exit.DONE
    assert [row[1].rpartition("/")[2] for row in rows] == ["a.txt", "b.txt", "total"]
    assert int(rows[0][0]) + int(rows[1][0]) == int(rows[2][0])
    assert "the total is an estimate" in err


def test_a_missing_file_is_reported_and_the_rest_is_counted(files, capfdbinary) -> None:
    status, out, err = count(capfdbinary, [files / "none", files / "b.txt"])
    assert status == 66
    assert out.split()[1].endswith("b.txt")
    assert "none" in err


def test_more_tokens_than_the_limit_are_a_no(files, capfdbinary) -> None:
    assert count(capfdbinary, [files / "a.txt"], limit=5)[0] == Exit.NO
    assert count(capfdbinary, [files / "a.txt"], limit=500)[0] == Exit.DONE


def test_objects_have_null_where_reading_stopped(files, capfdbinary) -> None:
    (files / "long.txt").write_text("word " * 100_000)
    _, out, _ = count(capfdbinary, [files / "long.txt"], limit=5, as_json=True)
    value = json.loads(out.splitlines()[0])
    assert (value["tokens"], value["bytes"], value["lines"]) == (None, None, None)
    assert value["low"] > 5


@pytest.mark.parametrize("by", ["message", "component"])
def test_text_has_no_messages(files, capfdbinary, by: str) -> None:
    status, out, err = count(capfdbinary, [files / "a.txt"], by=by)
    assert (status, out) == (65, "")
    assert "--by file and line count text" in err


def test_the_lines_of_a_file_are_counted_one_by_one(files, capfdbinary) -> None:
    _, out, _ = count(capfdbinary, [files / "b.txt"], by="line")
    assert [line.split("\t")[1].rpartition(":")[2] for line in out.splitlines()] == ["1", "2"]


def test_a_directory_cannot_be_counted(files, capfdbinary) -> None:
    status, _, err = count(capfdbinary, [files])
    assert status == 66
    assert err != ""


def test_a_title_is_one_line() -> None:
    assert title_of("-") == title_of("") == "stdin"
    assert title_of("a\nb") == "a\\nb"


def test_a_name_that_is_no_text_is_shown_all_the_same() -> None:
    assert encode_line({"name": decode_name("\udcff")}) == '{"name":"\ufffd"}\n'.encode()


def test_an_exact_number_has_one_end() -> None:
    assert format_range(Amount(7, 8, 9)) == "7 to 9 tokens"
    assert format_range(Amount(1, 1, 1)) == "1 token"


def test_a_sum_is_exact_if_all_its_parts_are() -> None:
    exact = ContentTokens("a", Amount(5, 5, 5), "exact", 20, 2, format="text", messages=1)
    estimate = ContentTokens("b", Amount(1, 2, 3), "estimate", 9, 1, format="openai", messages=4)
    assert sum_results([exact, exact]) == ContentTokens("total", Amount(10, 10, 10), "exact", 40, 4, format="text", messages=2)
    assert sum_results([exact, estimate]) == ContentTokens("total", Amount(6, 7, 8), "estimate", 29, 3, format="mixed", messages=5)


def test_numbers_stand_right_and_words_left() -> None:
    rows = [(5, "exact", "a b"), (120, "estimate", "c")]
    assert list(format_table(rows)) == ["  5 exact    a b\n", "120 estimate c\n"]
    assert list(format_table([(7,)])) == ["7\n"]
    assert list(format_table([])) == []


@given(present=st.sets(st.integers(0, 30)))
def test_each_answer_is_taken_for_its_item(present: set[int]) -> None:
    answers = ItemAnswers((index, f"answer {index}") for index in sorted(present))
    assert [answers.take(index) for index in range(31)] == [f"answer {index}" if index in present else None for index in range(31)]


def test_a_count_is_read() -> None:
    count = ContentTokens("a.txt", Amount(1, 2, 3), "exact", 4, 5)
    assert read_count(to_plain(count)) == count


def test_an_error_is_raised() -> None:
    with pytest.raises(MissingInputError, match="no such file"):
        read_count(MissingInputError("no such file"))


def test_garbage_is_an_error() -> None:
    with pytest.raises(WorkerDiedError, match="sent no count"):
        read_count("garbage")
