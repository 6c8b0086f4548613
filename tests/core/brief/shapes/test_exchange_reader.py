import pytest

from ctxkit.core.brief.shapes.exchange_reader import ExchangeReader, find_body


def read(*rows):
    return ExchangeReader().add_lines(enumerate(rows, 1))


@pytest.mark.parametrize("mark", ["> ", ""])
def test_a_request_has_the_status_that_follows(mark):
    reader = read(f"{mark}PUT /x HTTP/1.1", "Host: y", "HTTP/1.1 503 Service Unavailable", "body")
    exchange = reader.exchanges[0]
    assert (exchange.method, exchange.target, exchange.status, exchange.reason) == ("PUT", "/x", "503", "Service Unavailable")
    assert (exchange.start, exchange.end, exchange.status_line) == (1, 4, 3)


def test_a_request_without_an_answer_has_no_status():
    reader = read("GET /a HTTP/1.1", "GET /b HTTP/1.1", "HTTP/1.0 200 OK")
    assert [item.status for item in reader.exchanges] == ["", "200"]
    assert (reader.count, reader.answer_count) == (2, 1)


@pytest.mark.parametrize("line", ["* connect to x port 9 failed: Connection refused", "curl: (28) Operation timed out", "2026 10:00:00 ERROR 404: Not Found."])
def test_lines_about_failures_are_kept(line):
    assert read(line).troubles == [(1, line)]


CURL = ["*   Trying 1.2.3.4:80...", "* Connected to x", "> GET /a HTTP/1.1", "> Host: x", ">", "< HTTP/1.1 200 OK", "< Date: now", "<", "{ [9 bytes data]"]


def test_the_body_of_the_only_answer_begins_below_the_lines_of_curl():
    assert find_body([*CURL, '{"a": 1}', "* Connection #0 left intact"], 5) == 10
    assert find_body([*CURL, "", "text"], 5) == 11
    assert find_body(CURL, 5) == 0
    assert find_body([*CURL, "text"], 10) == 0
    assert find_body(["text", *CURL, "text"], 5) == 0
    assert find_body([*CURL[:5], "text"], 5) == 0
    assert find_body([*CURL, "text", "< HTTP/1.1 200 OK"], 5) == 0
