import pytest

from ctxkit.core.brief.grids.delimited_rows import are_rows

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
