"""The members of a decision of the gate."""

import pytest

from ctxkit.core.gate.decision import UNCOUNTED, GateResult
from ctxkit.core.tokens.token_count import TokenCount
from ctxkit.edge.gate_facts import describe_result
from tests.edge.test_report import BUDGET, RAW, TERMS


def test_an_assumed_window_is_named() -> None:
    assert "assumed" not in describe_result(RAW, TERMS)["budget"]
    assert describe_result(RAW, TERMS._replace(budget=TERMS.budget._replace(assumed=True)))["budget"] == BUDGET | {
        "assumed": True
    }


@pytest.mark.parametrize(("data", "total"), [(b"", 0), (b"a", 1), (b"a\n", 1), (b"a\nb", 2), (b"\n\n", 2)])
def test_lines_of_what_passes_are_counted_where_the_content_is_at_hand(data: bytes, total: int) -> None:
    gate_result = GateResult("raw", TokenCount(1, 1, "exact"), (data,), size=len(data))
    assert describe_result(gate_result, TERMS, data)["original"] == {
        "bytes": len(data),
        "lines": total,
        "tokens": 1,
        "method": "exact",
    }


def test_what_nobody_counted_is_left_out_or_null() -> None:
    described = describe_result(GateResult("raw", UNCOUNTED, ()), TERMS)
    assert (described["tokens"], described["original"]) == (None, {"method": None})
