"""Tokens of an image by its size in pixels, as documented by the providers.

OpenAI     "Images and vision", calculating costs: tiles of 512 pixels, or patches of 32 times a multiplier.
Anthropic  "Vision", resolution and token cost: patches of 28 pixels, within a long edge and a number of patches.
Gemini     "Understand and count tokens": 258 up to 384 pixels a side, else 258 for each tile of 768.
"""

from math import ceil, sqrt

from ctxkit.core.count.amount import Amount
from ctxkit.core.text.search import find_largest

TILES = (
    *(((name), (85, 170)) for name in ("gpt-4.1", "gpt-4.5", "gpt-4-turbo")),
    ("gpt-4o-mini", (2833, 5667)),
    ("gpt-4o", (85, 170)),
    *(((name), (75, 150)) for name in ("o1", "o3")),
    ("gpt-5", (70, 140)),
)
"""Tokens of an image at low detail and of each tile, by prefix of the model's name."""
PATCHES = (
    *((name, 1.62) for name in ("gpt-4.1-mini", "gpt-5-mini")),
    *((name, 2.46) for name in ("gpt-4.1-nano", "gpt-5-nano")),
    ("o4-mini", 1.72),
)
"""Tokens of a patch by prefix of the model's name; these models use no tiles."""
MOST_PATCHES = 1536
HIGH_RESOLUTION = (
    "claude-opus-4-7",
    "claude-opus-4-8",
    "claude-opus-5",
    "claude-sonnet-5",
    "claude-fable",
    "claude-mythos",
)
"""Models of the high resolution tier, by prefix of their names."""
TYPICAL_SIZES = ((1024, 1024), (256, 256), (1920, 1080), (2048, 768))
"""Sizes in pixels of an image of unknown size: a usual one, a small one, a screenshot, and one of the most tiles."""


def estimate_image(detail: str, scheme: str, model: str = "") -> Amount:
    """Return the token count of an image of unknown size, from a small one to a large one."""
    usual, *others = (count_image(size, detail, scheme, model) for size in TYPICAL_SIZES)
    return Amount(min(usual, *others), usual, max(usual, *others))


def count_image(size: tuple[int, int], detail: str, scheme: str, model: str = "") -> int:
    """Return the token count of an image of a size in pixels by scheme and model."""
    plain = model.lower().rpartition("/")[2]
    if scheme == "anthropic":
        return _count_anthropic(*size, sharp=plain.startswith(HIGH_RESOLUTION))
    if scheme == "gemini":
        return _count_gemini(*size)
    factor = next((factor for name, factor in PATCHES if plain.startswith(name)), None)
    return _count_patches(*size, factor) if factor else _count_tiles(*size, detail, plain)


def _tile_costs(model: str) -> tuple[int, int]:
    return next((costs for name, costs in TILES if model.startswith(name)), (85, 170))


def _count_tiles(width: int, height: int, detail: str, model: str) -> int:
    """Return the tokens of an image scaled to 2048 pixels, then to a short side of 768, in tiles of 512."""
    base, tile = _tile_costs(model)
    if detail == "low":
        return base
    counter = min(1.0, 2048 / max(width, height))
    counter *= min(1.0, 768 / (min(width, height) * counter))
    return base + tile * ceil(round(width * counter) / 512) * ceil(round(height * counter) / 512)


def _count_patches(width: int, height: int, factor: float) -> int:
    """Return the tokens of an image in patches of 32 pixels, scaled down to at most 1,536 whole patches."""
    patches = ceil(width / 32) * ceil(height / 32)
    if patches > MOST_PATCHES:
        shrink = sqrt(32 * 32 * MOST_PATCHES / (width * height))
        wide, high = width * shrink / 32, height * shrink / 32
        shrink *= min(int(wide) / wide if wide >= 1 else 1, int(high) / high if high >= 1 else 1)
        patches = min(ceil(int(width * shrink) / 32) * ceil(int(height * shrink) / 32), MOST_PATCHES)
    return ceil(patches * factor)


def _count_anthropic(width: int, height: int, *, sharp: bool) -> int:
    """Return the patches of 28 pixels of the image, scaled down to the two limits of the tier."""
    edge, most = (2576, 4784) if sharp else (1568, 1568)
    long, short = max(width, height), min(width, height)
    if long <= edge and ceil(long / 28) * ceil(short / 28) <= most:
        return ceil(long / 28) * ceil(short / 28)


    def count_patches(scaled: int) -> int:
        """Return the patches of an image whose long side is scaled to a number of pixels."""
        return ceil(scaled / 28) * ceil(max(round(scaled * short / long), 1) / 28)

    return find_largest(1, min(long, edge), count_patches, lambda patches: patches <= most) or 1


def _count_gemini(width: int, height: int) -> int:
    return 258 if max(width, height) <= 384 else 258 * ceil(width / 768) * ceil(height / 768)
