import json

from ctxkit.core.brief.streams.form_parts import divide_parts, find_form_parts
from tests.core.brief.kinds.test_table import document

TABLE = "Package  Version\n-------- -------\n" + "".join(f"name{n:<4} 1.{n}\n" for n in range(40))
DATA = json.dumps({f"key{n}": [n] for n in range(30)}, indent=1) + "\n"


def ranges(text):
    stream = find_form_parts(document(text))
    return stream and [(part.start, part.end, part.title) for part in stream.parts]


def test_a_table_and_json_are_two_parts() -> None:
    end = (TABLE + DATA).count("\n")
    assert ranges(TABLE + DATA) == [(1, 42, "Package  Version"), (43, end, '"key0": [')]


def test_other_text_beside_one_form_is_a_part() -> None:
    notes = "".join(f"step {n} is done\n" for n in range(30))
    assert [part[0] for part in ranges(notes + DATA)] == [1, 31]


def test_one_form_alone_and_documents_that_quote_forms_have_no_parts() -> None:
    assert ranges(TABLE) is None
    assert ranges(DATA + DATA) is None
    assert ranges("```\n" + TABLE + "```\n```\n" + DATA + "```\n") is None
    assert ranges("two notes\nabove\n" + DATA) is None


def test_a_separated_part_is_divided_by_its_forms() -> None:
    from ctxkit.core.brief.streams.separators import find_separated_parts

    notes = "".join(f"name {n}: value\n" for n in range(30))
    whole = document(f"=== a\n{notes}=== b\n{notes}{DATA}")
    stream = divide_parts(whole, find_separated_parts(whole))
    assert [(part.start, part.title) for part in stream.parts] == [(1, "a"), (32, "b"), (63, '"key0": [')]
    assert stream.parts[-1].end == whole.lines.total
    alone = find_separated_parts(document(f"=== a\n{notes}=== b\n{notes}"))
    assert divide_parts(whole, alone) == alone


def test_the_end_of_a_divided_part_is_the_line_before_the_next() -> None:
    notes = "".join(f"step {n} is done\n" for n in range(30))
    stream = find_form_parts(document(notes + DATA))
    assert [part.end + 1 for part in stream.parts[:-1]] == [part.start for part in stream.parts[1:]]
