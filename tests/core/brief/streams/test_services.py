from ctxkit.core.brief.streams.services import find_services, split_prefix
from ctxkit.core.brief.streams.stream_parts import make_part_document
from tests.core.brief.kinds.test_table import document

LOG = "".join(f"{('api-1', 'db-1')[n % 3 > 1]:<6}| row {n}\n" for n in range(60)) + "api-1 exited with code 137\n"


def test_lines_of_a_service_are_a_part() -> None:
    whole = document(LOG)
    stream = find_services(whole)
    assert [(part.title, part.line_count) for part in stream.parts] == [("api-1", 40), ("db-1", 20), ("lines of no service", 1)]
    assert make_part_document(whole, stream.parts[1], 9).lines.texts()[:2] == ["row 2", "row 5"]
    assert stream.parts[1].find_number(2) == 6
    assert stream.has_rest
    assert not find_services(document(LOG.removesuffix("api-1 exited with code 137\n"))).has_rest


def test_colours_are_no_part_of_a_name() -> None:
    assert split_prefix("\x1b[36mworker-1  | \x1b[0m  File a.py") == ("worker-1", "  File a.py")
    assert split_prefix("worker-1 exited") == ("", "worker-1 exited")


def test_tables_and_single_services_are_none() -> None:
    table = "".join(f"{'news' if n % 2 else 'sport'} | title {n} | {n}\n" for n in range(60))
    alone = "".join(f"api-1 | row {n}\n" for n in range(60))
    names = "".join(f"name{n} | row\n" for n in range(60))
    assert [find_services(document(text)) for text in (table, alone, names, "")] == [None] * 4


def test_fields_of_records_are_no_services() -> None:
    rows = [row for n in range(9) for row in (f"-[ RECORD {n} ]-+---", *(f"field{at:<3} | {n}" for at in range(15)))]
    assert find_services(document("\n".join(rows))) is None
