"""Texts on which tokenizers fall out: real files, and strings made of what patterns and merges trip over."""

import os
import random
from collections.abc import Iterator

SEED = 20261121
PARTS = (
    *("\n", "\n\n", "\n\n\n", "\r\n", "\r", " ", "  ", "   "),
    *(" " * 17, "\t", "\t\t", " \n", "\n ", "\u00a0", "\u3000", "\u2028", "\x85"),
    *("/", "//", "*/", "/*", "!", "?!", "...", "'s", "'S", "'ll", "\u2019s"),
    *("'", '"', "_", "__", "-", "--", "=", "===", "{", "}", "();", "#"),
    *("a", "B", "the", " the", "The", "HELLO", "camelCase"),
    *("snake_case", "XMLHttpRequest", "def f(x):", "\treturn 1;", "naïve", "ß", "İ", "ſ"),
    *("1", "12", "123", "1234", "1,234.5", "0x1F"),
    *("١٢٣", "Ⅷ", "½", "²", "1e-9", "2026-11-21T14:00:00Z", "3f9a2c81d0b4"),
    *("é", "e\u0301", "\u0338", "\u093c", "\u0958", "\U0001d160", "\u1100\u1161\u11a8"),
    *("한국어", "漢字かな", "中文。", "，", "ﬁ", "Å", "\u212b"),
    *("Привет", "مرحبا", "שלום", "नमस्ते", "ไทย", "Ελλάδα", "ʼ"),
    *("ʰ", "🙂", "👨‍👩‍👧", "🇩🇪", "\u200d", "\u200b", "\ufeff", "\ufffd"),
    *("\x00", "\x1b[0m", "\x7f", "\u0080", "\ue000", "\U0010ffff"),
    *("\u2581", "\u2581\u2581", "Ġ", "Ċ", "<0x0A>", "\u0120a"),
    *("<|endoftext|>", "<|im_start|>", "<s>", "</s>", "<bos>"),
    *("<unk>", "<pad>", "[INST]", "<|eot_id|>", "<start_of_turn>", "<mask>"),
    *("<think>", "</think>", "<tool_call>", "<|fim_prefix|>", "<｜User｜>"),
    *("<｜end▁of▁sentence｜>", "<unused7>", "<table>", "</td>", "<h1>"),
    *("[gMASK]", "[EOT]", "<|user|>", "/nothink"),
    *("<|reserved_special_token_0|>", "|||IP_ADDRESS|||", "<|extra_id_3|>", "<2mass>"),
)  # fmt: skip
"""What strings are put together from: white space, code, digits, scripts, marks, specials spelled out."""
BLOCKS = ((0x20, 0x7F), (0xA0, 0x250), (0x300, 0x370), (0x370, 0x530), (0x590, 0xE80))
WIDER = (
    *((0x1100, 0x1200), (0x2000, 0x2C00), (0x3000, 0xA000), (0xA000, 0xD7FF)),
    *((0xF900, 0xFFFD), (0x10000, 0x1FBFF), (0x20000, 0x2A6E0), (0, 0xD7FF)),
)


def strings(number: int) -> Iterator[str]:
    """Yield that many strings, the same ones each time."""
    chance = random.Random(SEED)
    makers = (_parts, _parts, _parts, _letters, _runs)
    for at in range(number):
        yield makers[at % len(makers)](chance)


def _parts(chance: random.Random) -> str:
    return "".join(chance.choices(PARTS, k=chance.randrange(1, 30)))


def _letters(chance: random.Random) -> str:
    """Return letters out of a few blocks of Unicode."""
    blocks = chance.sample((*BLOCKS, *WIDER), 3)
    return "".join(chr(chance.randrange(*chance.choice(blocks))) for _ in range(chance.randrange(1, 60)))


def _runs(chance: random.Random) -> str:
    """Return long runs of a few things."""
    return "".join(chance.choice(PARTS) * chance.randrange(1, 40) for _ in range(chance.randrange(1, 5)))


def files(root: str) -> Iterator[str]:
    """Yield the text of every file below ``root``."""
    for folder, folders, names in os.walk(root):
        folders.sort()
        for name in sorted(names):
            with open(os.path.join(folder, name), "rb") as file:
                data = file.read()
            utf16 = data.startswith((b"\xff\xfe", b"\xfe\xff"))
            yield data.decode("utf-16" if utf16 else "utf-8", "replace")
