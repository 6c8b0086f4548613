"""What a briefing is asked for, and what it answers, between processes."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief import Briefing
from ctxkit.core.brief.custom_kinds import KindRule
from ctxkit.core.brief.kind_detection import Explanation
from ctxkit.core.gate.briefing_messages import (
    BriefingRequest,
    BriefingResult,
    from_tuple,
    request_from_tuple,
    request_to_tuple,
    to_tuple,
)
from ctxkit.core.text.limits import WorkerDiedError
from ctxkit.core.text.retrieval_hint import Hint
from ctxkit.core.tokens.token_count import TokenCount

TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)
TEXTS = st.lists(TEXT, max_size=3).map(tuple)
RULES = st.none() | st.builds(KindRule, TEXT, TEXTS, TEXT, TEXTS, TEXTS, st.integers(0, 9_000))
REQUESTS = st.builds(BriefingRequest, st.integers(0, 10**12), TEXT, st.builds(Hint, TEXT, TEXT, TEXT, TEXT), TEXT, TEXT, TEXT, TEXT, st.integers(0, 40), RULES, st.booleans())
BRIEFINGS = st.builds(Briefing, TEXT, TEXT, st.floats(0, 1), st.integers(0, 10**6), TEXT, TEXT, st.none() | st.builds(Explanation, TEXT, st.lists(st.tuples(TEXT, st.floats(0, 1))).map(tuple), TEXTS))
RESULTS = st.builds(BriefingResult, st.none() | BRIEFINGS, TEXT, st.builds(TokenCount, st.integers(0, 99), st.integers(99, 999), st.just("exact")), st.integers(0), st.integers(0))


@given(REQUESTS)
def test_a_request_comes_out_as_it_went_in(request: BriefingRequest) -> None:
    assert request_from_tuple(json.loads(json.dumps(request_to_tuple(request)))) == request


@given(RESULTS)
def test_a_result_comes_out_as_it_went_in(result: BriefingResult) -> None:
    assert from_tuple(json.loads(json.dumps(to_tuple(result)))) == result


@pytest.mark.parametrize("value", [None, [], "text", [1, 2, 3], [None, 5, [1, 1, "exact"], 1, 1], [["k"], "e", [1, 1, "exact"], 1, 1], [None, "e", ["1", 1, "exact"], 1, 1]])
def test_another_shape_is_no_map(value: object) -> None:
    with pytest.raises(WorkerDiedError, match="sent no map"):
        from_tuple(value)
