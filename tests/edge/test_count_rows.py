"""Rows of counts, and the names in them."""

from ctxkit.core.count.amount import Amount
from ctxkit.core.count.content_tokens import ContentTokens
from ctxkit.edge.count_rows import decode_name, encode_line, format_range, sum_results, title_of


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
