import csv as parser
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.brief.kinds import csv as kind
from ctxkit.core.brief.kinds.csv import are_rows
from tests.core.brief.kinds.test_table import document, mapped
from tests.example_counts import count_examples


def sales():
    yield "id,name,status,amount,note"
    for number in range(1_000):
        amount = {500: "99999", 700: "n/a"}.get(number, f"{100 + number % 7}.5")
        yield f'{number + 1},user{number},{"refunded" if number == 300 else "paid"},{amount},"a, {number}"'


SALES = "\n".join(sales()) + "\n"


@pytest.mark.slow
def test_types_ranges_and_what_differs() -> None:
    text = mapped(SALES, 1_500).text
    assert "- Lines 2-1001: 1,000 rows, 5 columns: id, name, status, amount, note\n" in text
    assert "- id: integer 1..1000, ascending\n" in text
    assert '- Line 302: status is "refunded" in 1 of 1,000\n  - 302: 301,user300,refunded,106.5,"a, 300"\n' in text
    assert "- Line 702: amount is text in 1 of 1,000; most are numbers\n" in text
    assert "- Line 502: amount is 99999" in text


def test_rows_of_several_lines_are_counted_as_rows() -> None:
    text = "a,b\n" + "".join(f'{n},"two\nlines"\n' for n in range(100))
    held = mapped(text, 300)
    assert "100 rows, 2 columns: a, b" in held.text


def test_a_quote_that_nothing_closes_does_not_swallow_the_rest() -> None:
    text = "a,b\n" + "".join(f"{n},x\n" for n in range(200)) + '7,"open\n' + "".join(f"{n},y\n" for n in range(200))
    assert "401 rows" in mapped(text, 300).text


def test_a_byte_order_mark_is_no_part_of_the_first_name() -> None:
    text = "\ufeffa;b\n" + "".join(f"{n};{n * 2}\n" for n in range(300))
    assert "300 rows, 2 columns: a, b\n" in mapped(text, 400).text


@pytest.mark.parametrize(
    "text",
    [
        "First, a sentence, with commas.\nThen, another one, just as long.\nAnd, so it goes, on and on.\n" * 9,
        "import os, sys, re\nfoo(a, b, c)\nbar(d, e, f)\n" * 9,
        "one\ntwo\nthree\n" * 9,
        "",
    ],
)
def test_other_text_is_not_claimed(text: str) -> None:
    assert kind.sniff(document(text)) == 0.0


@settings(max_examples=count_examples(60), deadline=None)
@given(st.lists(st.lists(st.text(alphabet='a1,"\n ;', max_size=8), min_size=2, max_size=3), min_size=1, max_size=40))
def test_every_range_is_in_the_file(rows: list[list[str]]) -> None:
    text = io.StringIO()
    parser.writer(text, lineterminator="\n").writerows([["x", "y"], *rows])
    held = document(text.getvalue(), 400)
    for outline in kind.outline(held) or []:
        for section in outline.sections:
            for entry in section.entries:
                assert entry.start == entry.end == 0 or 1 <= entry.start <= entry.end <= held.lines.total


def test_a_path_is_no_sign_of_trouble() -> None:
    rows = "".join(f"src/{'error' if n == 50 else f'f{n}'}.c,{n},{n * 7 % 11}\n" for n in range(90))
    text = mapped("file,size,rank\n" + rows + "x.c,90,timeout\n").text
    assert "src/error.c" not in text.partition("## Columns")[0]
    assert '"timeout"' in text or "x.c,90,timeout" in text


@pytest.mark.slow
def test_a_category_that_many_rows_share_is_no_odd_value() -> None:
    kinds = ["usual"] * 90 + ["second"] * 4 + ["Herring gull"] * 3 + ["third"] * 3
    rows = "".join(f"{n},{kinds[n % 100]},{n % 7}\n" for n in range(3_000))
    text = mapped("id,kind,number\n" + rows).text
    assert "Rows that differ" not in text


@pytest.mark.slow
def test_only_a_value_that_sounds_like_trouble_names_many_lines() -> None:
    def told(value):
        rows = "".join(f"{n},{value if n % 100 == 7 else 'usual'}\n" for n in range(2_000))
        return next(row for row in mapped("id,state\n" + rows, 3_000).text.split("\n") if f'state is "{value}"' in row)

    assert told("strange").endswith("; also lines 109, 209, 309, 409, 509 and 14 more")
    assert told("failed").count(",") == 19


VCF = "##fileformat=VCFv4.1\n##source=x\n#CHROM\tPOS\tID\tINFO\n" + "".join(
    f"1\t{n * 10}\tr{n}\tA=1;B={n};C=3;D=4;E=5;F=6\n" for n in range(80)
)


def test_the_last_comment_names_the_columns() -> None:
    text = mapped(VCF).text
    assert "- Lines 4-83: 80 rows, 4 columns: CHROM, POS, ID, INFO\n" in text
    assert "- separated by tabs, the last comment names the columns\n" in text
    assert "- Lines 1-2: 2 lines of comment above\n" in text
    assert "- POS: integer 0..790" in text


def test_messages_of_the_program_above_the_rows_are_no_rows() -> None:
    rows = "".join(f'"p{n}@1.{n}.0","MIT","https://example.org/{n}"\n' for n in range(300))
    above = "(node:9) Warning: the URL is invalid.\n(Use --trace to see more)\n"
    text = mapped(above + '"module","license","repository"\n' + rows + "Error: not allowed.\n", 800).text
    assert "3 columns: module, license, repository\n" in text
    assert "- Lines 1-2: 2 lines above the rows\n" in text
    assert "the first row names the columns\n- 3: " in text
    assert "  - 304: Error: not allowed.\n" in text


def test_the_message_that_follows_rows_is_quoted() -> None:
    rows = "".join(f"{n},x,y\n" for n in range(300))
    text = mapped("a,b,c\n" + rows + "(node:9) odd\n(Use it)\n(Or not)\nFound a licence. Exiting.\n", 600).text
    assert "4 rows of another width" in text
    assert "  - 305: Found a licence. Exiting.\n" in text


def test_metadata_above_rows_without_names() -> None:
    rows = "".join(f'chr1\tx\tgene\t{n}\t{n + 5}\t.\tgene_id "G{n}"; kind "rna";\n' for n in range(60))
    text = mapped("##gff-version 3\n#!build 1\n" + rows).text
    assert "- Lines 3-62: 60 rows, 7 columns" in text
    text = mapped("@HD\tVN:1.6\n@SQ\tSN:chr1\tLN:45\n" + rows).text
    assert "- Lines 3-62: 60 rows, 7 columns" in text
    assert "no row names the columns" in text


def test_the_first_event_of_a_list_names_no_column() -> None:
    rows = "".join(f"{n * 7919 + 268435456:08x}\tAnn B\tAug {n % 28 + 1} 2026\tUpdated part {n}.\n" for n in range(90))
    text = mapped(rows).text
    assert "- Lines 1-90: 90 rows, 4 columns" in text
    assert "is a number in" not in text


def test_rows_only_at_the_beginning_are_no_table() -> None:
    head = "a,b,c\n" + "".join(f"{n},x,y\n" for n in range(300))
    assert kind.sniff(document(head)) > 0.7
    assert kind.sniff(document(head + "".join(f"then a line of text {n}\n" for n in range(300)))) == 0.0


def test_frames_of_a_traceback_and_keys_with_values_are_no_rows() -> None:
    frames = "".join(f'  File "<string>", line {2 + n % 2}, in {"fg"[n % 2]}\n' for n in range(60))
    text = f"Traceback (most recent call last):\n{frames}RecursionError: maximum recursion depth exceeded\n"
    assert kind.sniff(document(text)) == 0.0
    cells = "id,state,error\n" + "".join(f"{n},lost,Traceback (most recent call last): x\n" for n in range(40))
    assert kind.sniff(document(cells)) > 0.0
    assert kind.sniff(document("".join(f"Vm{n}:\t{n * 7} kB\n" for n in range(40)))) == 0.0


@pytest.mark.parametrize("text", ["\r,", "a\rb,c\n" * 9, "a,b\r\nc,d\r\n" * 9])
def test_a_carriage_return_within_a_line_breaks_nothing(text: str) -> None:
    kind.outline(document(text))


TEXTS = {
    "log with options in brackets": (",", [f"[0.0{n}s][info][gc,load] class {n}" for n in range(9)]),
    "services and their output": ("|", [f"api-{n}  | started {n}" for n in range(9)]),
    "hex dump": ("|", [f"0000{n}  7f 45  |.ELF|" for n in range(9)]),
    "numbered lines": ("\t", [f"     {n}\timport a" for n in range(1, 9)]),
    "indented text": ("\t", ["\tcols#80, it#8"] * 9),
    "symbols": ("\t", [f"000{n}      DF *UND*\t0000 (GLIBC) f{n}" for n in range(9)]),
    "sentences": (",", [f"16 bytes from ::{n}, icmp_seq={n} time=3 ms" for n in range(9)]),
    "statements": (";", [f"call({n});" for n in range(9)]),
}


@pytest.mark.parametrize("name", TEXTS)
def test_text_that_contains_delimiters_is_no_table(name: str) -> None:
    delimiter, lines = TEXTS[name]
    assert not are_rows([line.split(delimiter) for line in lines], delimiter, lines[0].count(delimiter) + 1)


@pytest.mark.parametrize("delimiter", list("\t,;"))
def test_rows_of_cells(delimiter) -> None:
    rows = [[f"name{number}", str(number)] for number in range(9)]
    assert are_rows(rows, delimiter, 2)
    assert are_rows([[*row, "x"] for row in rows], "|", 3)
