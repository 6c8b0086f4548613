import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ctxkit.core.brief.kinds import exchanges as kind
from tests.core.brief.kinds.test_table import document
from tests.example_counts import count_examples


def exchange(path: str, status: str, body: str) -> str:
    return f"> GET {path} HTTP/1.1\n> Host: x\n> Accept: */*\n> \n< HTTP/1.1 {status}\n< Content-Length: 9\n< Date: now\n< \n{{ [9 bytes data]\n{body}\n"


CURL = "".join(exchange(f"/{at}", "200 OK", "fine") for at in range(9)) + exchange("/lost", "404 Not Found", "it is gone") + "curl: (7) Failed to connect to x port 1: Connection refused\n"


def test_failures_come_before_the_requests(trial):
    text = trial(kind).map(CURL)
    assert "- Lines 1-101: 10 requests: 200 9, 404 1" in text
    assert "404 Not Found: GET /lost\n  - 100: it is gone" in text
    assert text.index("Connection refused") < text.index("404 Not Found: GET") < text.index("9 GET 200, /0 to /8")


def test_a_dump_without_marks_is_known(trial):
    text = CURL.replace("> ", "").replace("< ", "").replace(">", "").replace("<", "")
    assert trial(kind).known(text) == "exchanges"


@pytest.mark.parametrize("text", ["# API\n\n" + CURL, '1.2.3.4 - - "GET / HTTP/1.1" 200\n' * 30, "GET / HTTP/1.1\n" * 30])
def test_other_content_is_left_alone(trial, text):
    assert trial(kind).known(text) != "exchanges"


@given(st.lists(st.sampled_from(["x", "", "GET /x HTTP/1.1", "HTTP/1.1 500 Bad", "* Closing", "POST /", "\x00"])))
@settings(max_examples=count_examples(50), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_nothing_breaks_it(trial, rows):
    trial(kind).check("\n".join([CURL, *rows]), 300)


def test_a_single_answer_of_curl_is_mapped_apart_from_its_body(trial):
    marks = "".join(f"* TLS handshake {at}\n" for at in range(9))
    body = "<!DOCTYPE html>\n<html><body>\n<h1>Shop</h1>\n" + "<p>words of a page</p>\n" * 90 + "</body></html>\n"
    text = trial(kind).map(marks + exchange("/shop", "200 OK", body))
    assert "- Lines 1-18: part 1, GET /shop: 200 OK" in text
    assert "part 2, body of the answer" in text
    assert kind.sniff(document(marks + exchange("/shop", "200 OK", body))) > 0.95
