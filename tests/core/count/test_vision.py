"""Pictures take what the providers' documents say of their own examples."""

import pytest

from ctxkit.core.count.amount import Amount
from ctxkit.core.count.vision import count_image, estimate_image


@pytest.mark.parametrize(
    ("model", "size", "detail", "tokens"),
    [
        *(("gpt-4o", (1024, 1024), "high", 765), ("gpt-4o", (2048, 4096), "", 1105), ("gpt-4o", (4096, 8192), "low", 85)),
        *(("gpt-4o-mini", (512, 512), "low", 2833), ("gpt-4o", (1, 1), "high", 255), ("o1", (512, 512), "", 225)),
        *(("openai/gpt-5", (512, 512), "", 210), ("gpt-4.1-mini", (1024, 1024), "", 1659)),
        *(("gpt-4.1-mini", (1800, 2400), "", 2353), ("o4-mini", (32, 32), "", 2), ("", (1024, 1024), "", 765)),
    ],
)
def test_openai(model, size, detail, tokens) -> None:
    assert count_image(size, detail, "openai", model) == tokens


@pytest.mark.parametrize(
    ("model", "size", "tokens"),
    [
        *(("claude-sonnet-4-5", (200, 200), 64), ("claude-sonnet-4-5", (1000, 1000), 1296)),
        *(("claude-sonnet-4-5", (1092, 1092), 1521), ("claude-sonnet-4-5", (1920, 1080), 1560)),
        *(("claude-sonnet-4-5", (3840, 2160), 1560), ("claude-opus-4-8", (1920, 1080), 2691)),
        *(("claude-opus-4-8", (1000, 1000), 1296), ("claude-opus-4-7", (3840, 2160), 4784)),
        *(("claude-sonnet-4-5", (100, 8000), 56), ("claude-sonnet-4-5", (1, 1), 1)),
    ],
)
def test_anthropic(model, size, tokens) -> None:
    assert count_image(size, "", "anthropic", model) == tokens


def test_gemini() -> None:
    assert [count_image(size, "", "gemini") for size in ((384, 384), (385, 10), (960, 540), (1600, 800))] == [258, 258, 516, 1548]


def test_a_picture_of_unknown_size_is_a_range_around_what_is_usual() -> None:
    assert estimate_image("", "anthropic") == Amount(100, 1369, 1560)
    assert estimate_image("", "gemini") == Amount(258, 1032, 1548)
    assert estimate_image("high", "openai", "gpt-4o") == Amount(255, 765, 1445)
    assert estimate_image("low", "openai", "gpt-4o") == Amount(85, 85, 85)
