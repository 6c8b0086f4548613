"""What has no text is estimated by its size, within a range."""

import pytest

from ctxkit.core.chat.model.message import MessagePart
from ctxkit.core.count.amount import Amount
from ctxkit.core.count.unread import MEDIA_TOKENS, estimate_unread


@pytest.mark.parametrize("media", MEDIA_TOKENS)
def test_a_larger_file_has_more_tokens_within_its_range(media) -> None:
    small, large = (estimate_unread(MessagePart("other", encrypted_size=size, media=media)) for size in (60_000, 600_000))
    assert 0 <= small.low < small.tokens < small.high
    assert small.low < large.low < large.tokens < large.high


def test_a_page_of_a_document_and_a_second_of_sound_are_near_the_figures_of_the_providers() -> None:
    page = estimate_unread(MessagePart("other", encrypted_size=66_700, media="document"))  # 50 KB
    assert page.low < 258 < 1_500 < page.tokens < 3_000
    second = estimate_unread(MessagePart("other", encrypted_size=21_400, media="audio"))  # 16 KB
    assert second.low <= 10 < second.tokens <= 32 < second.high


@pytest.mark.parametrize("media", MEDIA_TOKENS)
def test_a_file_by_reference_may_be_of_any_size(media) -> None:
    assert estimate_unread(MessagePart("other", media=media)) == MEDIA_TOKENS[media].by_reference


def test_encrypted_content_is_at_most_a_little_more_than_its_text() -> None:
    assert estimate_unread(MessagePart("result", encrypted_size=16_000)) == Amount(750, 3_000, 3_750)
    assert estimate_unread(MessagePart("thinking", encrypted_size=800)) == Amount()
