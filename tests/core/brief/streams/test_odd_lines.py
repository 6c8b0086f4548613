from ctxkit.core.brief.streams.odd_lines import find_odd_lines
from ctxkit.core.brief.streams.stream_parts import StreamPart
from ctxkit.core.text.lines import lines_from_bytes


def stream(change=lambda n, row: row):
    rows = [
        change(n, row)
        for n in range(10, 30)
        for row in (f"== app{n}", f"listen 81{n};", f"proxy http://app{n};", "timeout 30s;", "}")
    ]
    parts = [StreamPart(at + 1, at + 5, rows[at][3:], title_line=at + 1) for at in range(0, len(rows), 5)]
    return lines_from_bytes("".join(f"{row}\n" for row in rows).encode()), parts


def test_parts_of_one_template_have_no_odd_lines() -> None:
    assert find_odd_lines(*stream()) == []


def test_another_number_and_another_form_are_odd() -> None:
    lines, parts = stream(lambda n, row: {(14, "timeout 30s;"): "timeout 900s;", (17, "}"): "deny all; }"}.get((n, row), row))
    assert [text for _, text in find_odd_lines(lines, parts)] == ["timeout 900s;", "deny all; }"]
    assert [lines.at(number) for number, _ in find_odd_lines(lines, parts)] == ["timeout 900s;", "deny all; }"]


def test_few_or_different_parts_are_not_compared() -> None:
    lines, parts = stream()
    assert find_odd_lines(lines, parts[:4]) == []
    mixed = lines_from_bytes("".join(f"{'x' * (n % 97)} y\n" for n in range(100)).encode())
    assert find_odd_lines(mixed, parts) == []


def test_of_many_lines_that_differ_none_is_odd() -> None:
    lines, parts = stream(lambda n, row: f"deny {'x' * n};" if row == "}" else row)
    assert find_odd_lines(lines, parts) == []
