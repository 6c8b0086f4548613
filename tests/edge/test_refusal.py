import pytest

from ctxkit.core.gate.decision import UNCOUNTED, GatePolicy, GateResult
from ctxkit.core.store.label import Label
from ctxkit.core.text.retrieval_hint import PRESETS, Hint
from ctxkit.core.tokens.budget import Budget
from ctxkit.core.tokens.token_count import TokenCount
from ctxkit.core.tokens.vocabulary import find_vocabulary
from ctxkit.edge import refusal

REF = "abcdef012345" + "6" * 52


def refused(tokens: int, ref: str = REF) -> GateResult:
    return GateResult("refused", UNCOUNTED, (), ref, TokenCount(tokens, tokens, "exact"))


def terms_of(budget: Budget, limit: int | None = None) -> GatePolicy:
    return GatePolicy(budget, find_vocabulary("qwen3"), Hint(PRESETS["ctxkit"]), limit, Label("log"))


FULL = Budget(10_000, 0, 9_800)


@pytest.mark.parametrize(
    ("admission", "terms", "reason"),
    [
        (refused(900), terms_of(FULL), "the window is full: 9,800 of 10,000 tokens are used"),
        (refused(900), terms_of(Budget(40, 0)), "no map of log fits 20 tokens, half of what is available"),
        (refused(900, ""), terms_of(Budget(40, 0)), "no excerpt of log fits 20 tokens, half of what is available"),
        (refused(900), terms_of(Budget(10_000, 0), 5), "no map of log fits 5 tokens, all that --limit allows"),
    ],
)
def test_the_reason_is_a_full_window_or_too_little_room_for_a_map(admission, terms, reason: str) -> None:
    assert refusal.explain_refusal(admission, terms) == reason


@pytest.mark.parametrize(
    ("admission", "terms", "more"),
    [
        (refused(900, ""), terms_of(FULL), []),
        (refused(200, ""), terms_of(FULL), ["--admit passes it anyway"]),
        (refused(200, ""), terms_of(FULL, 100), ["a larger --limit admits more"]),
        (refused(900, ""), terms_of(Budget(40, 0, assumed=True)), ["--model or --window names a larger window"]),
        (refused(900), terms_of(Budget(40, 0)), ["ctxkit cache get abcdef0123456666 reads the stored content"]),
    ],
)
def test_the_remedy_names_compact_and_what_else_helps_here(admission, terms, more) -> None:
    assert refusal.suggest_remedy(admission, terms).split("; ") == ["ctxkit compact frees tokens", *more]
