from ctxkit.core.brief.shapes.record_layout import RecordLayout
from ctxkit.core.brief.shapes.record_oddities import SAME_IN_ALL, describe_values, list_rare_keys
from ctxkit.core.brief.shapes.record_reader import RecordReader
from tests.core.brief.kinds.test_table import document as make_document


def read(rows):
    reader = RecordReader(RecordLayout("0A:", 0, frozenset(("0A:", "0B:"))))
    reader.add_lines(enumerate(rows, 1))
    reader.finish_record()
    return reader


def test_a_rare_value_comes_first_with_its_line() -> None:
    reader = read([line for at in range(20) for line in ("A: x", f"B: {'off' if at == 4 else 'on'}")])
    assert describe_values(reader.keys["0B:"], reader) == (2, "on 19, B: off 1 (at 10)")
    assert describe_values(reader.keys["0A:"], reader) == (SAME_IN_ALL, "x")


def test_a_key_of_another_indentation_is_not_rare() -> None:
    reader = read([line for at in range(40) for line in ("A: x", "B: y", *(["  B: z", "  C: z"] if at == 3 else []))])
    (entry,) = list_rare_keys(reader, make_document("\n".join(["A: x", "B: y"] * 45)))
    assert entry.label.endswith("has keys that few have: C")


def test_numbers_have_their_ends() -> None:
    reader = read([line for at in range(20) for line in ("A: x", f"B: {at} kB")])
    assert describe_values(reader.keys["0B:"], reader) == (4, "0 kB (line 2, x) to 19 kB (line 40, x)")


def test_classes_of_records_are_counted():
    kinds = ("Deployment", "Service", "Secret", "Deployment", "Service", "Deployment")
    rows = [line for at, name in enumerate(kinds) for line in (f"A: {at}", f"kind: {name}")]
    reader = RecordReader(RecordLayout("0A:", 0, frozenset(("0A:", "0kind:"))))
    reader.add_lines(enumerate([*rows, "A: last"], 1))
    reader.finish_record()
    assert describe_values(reader.keys["0kind:"], reader)[1] == "Deployment 3, Service 2, kind: Secret 1 (at 6)"


def test_a_key_with_several_values_in_a_record_is_not_summarized():
    reader = read([line for at in range(20) for line in ("A: x", f"B: {at % 2}", "B: 7")])
    assert reader.keys["0B:"].varies
    assert describe_values(reader.keys["0B:"], reader)[1] == ""


def test_empty_values_are_counted_beside_the_only_other():
    reader = read([line for at in range(20) for line in ("A: x", f"B: {'' if at % 5 else 'on'}")])
    assert describe_values(reader.keys["0B:"], reader)[1] == "on 4, empty 16"
