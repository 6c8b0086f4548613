"""A model words the proposed lines, and may not change what they say."""

import pytest

from ctxkit.core.lint.promotion import Promotion
from ctxkit.core.lint.promotion_wording import says_the_same, word_promotions

LINES = [
    Promotion("staging is at port 8080 and needs the VPN", "Facts", ("a", "b")),
    Promotion("Never touch vendor/.", "Decisions", ("a", "b")),
]


def test_a_wording_takes_the_place_of_the_line_which_is_kept_beside_it() -> None:
    asked = []

    def ask(prompt: str) -> str:
        asked.append(prompt)
        return "<think>hm</think>1. Staging is at port 8080 and needs the VPN.\n2. Touch vendor/.\n7. Be evil."

    worded = word_promotions(LINES, ask)
    assert [promotion.text for promotion in worded] == ["Staging is at port 8080 and needs the VPN.", "Never touch vendor/."]
    assert [promotion.original for promotion in worded] == [LINES[0].text, ""]
    assert "1. staging is at port 8080 and needs the VPN\n2. Never touch vendor/.\n" in asked[0]


@pytest.mark.parametrize(
    "wording",
    [
        "Staging is at port 8081 and needs the VPN.",
        "Staging is at port 8080 and does not need the VPN.",
        "Staging is at port 8080. It needs the VPN.",
        "Staging is at port 8080 and needs the VPN of `config.toml`.",
        "Run the deployment whenever the weather is 8080.",
        "Staging is at port 8080 and needs the VPN" + " and the VPN" * 9,
        "<think>Staging is at port 8080 and needs the VPN",
    ],
)
def test_another_statement_is_refused(wording: str) -> None:
    assert not says_the_same(LINES[0].text, wording)


def test_no_answer_changes_nothing() -> None:
    assert word_promotions(LINES, lambda prompt: "I cannot help with that.") == LINES
