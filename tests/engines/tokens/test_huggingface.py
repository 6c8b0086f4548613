import json
import sys
from pathlib import Path

import pytest
from tokenizers import Tokenizer

from bench.strings import strings
from ctxkit.core.errors import MalformedInputError, MissingDependencyError, MissingInputError
from ctxkit.engines.tokens import huggingface, splintr
from ctxkit.engines.tokens.huggingface import is_exact, load_counter

SAMPLES = [*strings(300), "", "<think>more</think>", "<think><|endoftext|></think>", " <think> "]
FILES = {
    "gpt2": {},
    "cl100k": {"pre_tokenizer": splintr.make_pre_tokenizer((splintr.CL100K,))},
    "qwen": {"pre_tokenizer": splintr.make_pre_tokenizer((splintr.QWEN2,)), "normalizer": {"type": "NFC"}},
    "o200k": {"pre_tokenizer": splintr.make_pre_tokenizer((splintr.O200K,))},
    "tekken": {"pre_tokenizer": splintr.make_pre_tokenizer((splintr.TEKKEN,))},
    "deepseek": {"pre_tokenizer": splintr.make_pre_tokenizer(splintr.DEEPSEEK)},
}


def reference(path):
    loaded = Tokenizer.from_file(path)
    loaded.encode_special_tokens = True
    return lambda text: len(loaded.encode(text, add_special_tokens=False).ids)


@pytest.mark.parametrize("name", FILES)
def test_a_tokenizer_json_counts_as_hugging_face_counts(spec, write, name: str) -> None:
    changed = {**spec, **FILES[name]}
    path = write(changed)
    assert is_exact(changed)
    count, expected = load_counter(path), reference(path)
    assert [count(text) for text in SAMPLES] == [expected(text) for text in SAMPLES]


@pytest.mark.parametrize("normalizers", [*huggingface._WITH_SPACES])
def test_so_does_one_with_byte_fallback(normalizers, write) -> None:
    letters = [f"<0x{byte:02X}>" for byte in range(256)]
    words = ["▁", "a", "b", "t", "h", "e", "▁a", "th", "the", "▁the", "▁▁", "\n", "é"]
    vocab = {token: at for at, token in enumerate(["<unk>", "<s>", "</s>", *letters, *words])}
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
    spec = {
        "version": "1.0",
        "added_tokens": [
            {"id": 0, "content": "<unk>", "special": True, **flags},
            {"id": 1, "content": "<s>", "special": True, **flags},
            {"id": vocab["\n"], "content": "\n", "special": False, **flags},
        ],
        "normalizer": {"type": "Sequence", "normalizers": normalizers},
        "pre_tokenizer": None,
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
            "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
            "special_tokens": {"<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]}},
        },
        "decoder": None,
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": "<unk>",
            "fuse_unk": True,
            "byte_fallback": True,
            "vocab": vocab,
            "merges": ["▁ a", "t h", "th e", "▁ the", "▁ ▁"],
        },
    }
    path = write(spec)
    assert is_exact(spec)
    count, expected = load_counter(path), reference(path)
    assert [count(text) for text in SAMPLES] == [expected(text) for text in SAMPLES]


def test_what_a_template_puts_around_a_text_is_no_part_of_it(spec, write) -> None:
    end = {"SpecialToken": {"id": "<|endoftext|>", "type_id": 0}}
    text = {"Sequence": {"id": "A", "type_id": 0}}
    special = {"<|endoftext|>": {"id": "<|endoftext|>", "ids": [4000], "tokens": ["<|endoftext|>"]}}
    plain = load_counter(write(spec, "plain.json"))
    spec["post_processor"] = {
        "type": "TemplateProcessing",
        "single": [end, text, end],
        "pair": [text, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": special,
    }
    framed = load_counter(write(spec))
    for text in ("", "a", "hello, world\n", "<think>"):  # type: ignore[assignment]
        assert framed(text) == plain(text)


@pytest.mark.parametrize(
    "change",
    [
        {"normalizer": {"type": "Lowercase"}},
        {"normalizer": {"type": "NFKC"}},
        {"pre_tokenizer": {"type": "Whitespace"}},
        {"pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}},
        {"pre_tokenizer": splintr.make_pre_tokenizer((r"\w+|\W+",))},
    ],
)
def test_what_splintr_is_not_proved_to_count_is_left_to_tokenizers(spec, write, change) -> None:
    changed = {**spec, **change}
    path = write(changed)
    assert not is_exact(changed)
    count, expected = load_counter(path), reference(path)
    assert [count(text) for text in SAMPLES] == [expected(text) for text in SAMPLES]


@pytest.mark.parametrize("flag", ["lstrip", "rstrip", "single_word"])
def test_so_are_added_tokens_that_take_more_than_themselves(spec, write, flag: str) -> None:
    spec["added_tokens"][1][flag] = True
    path = write(spec)
    assert not is_exact(spec)
    count, expected = load_counter(path), reference(path)
    assert [count(text) for text in SAMPLES] == [expected(text) for text in SAMPLES]


def test_without_splintr_tokenizers_counts(spec, write, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(spec)
    expected = load_counter(path)("hello, world")
    monkeypatch.setitem(sys.modules, "splintr", None)
    assert load_counter(path)("hello, world") == expected


def test_without_tokenizers_a_hint_says_how_to_get_it(spec, write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(MissingDependencyError, match="tokenizers") as caught:
        load_counter(write({**spec, "normalizer": {"type": "NFKC"}}))
    assert "tokenizers>=" in caught.value.hint


@pytest.mark.parametrize(
    "text",
    [
        *("{", "{}", "[]", '{"model": 1}', '{"model": {"type": "BPE"}}', '{"model": {"vocab": 7}}', "\x00", "[" * 100_000),
        json.dumps({"model": {"type": "Unigram", "vocab": [3]}}),
        json.dumps({"model": {"vocab": {}}, "added_tokens": 3}),
    ],
)
def test_what_is_no_tokenizer_json_is_malformed(tmp_path: Path, text) -> None:
    path = tmp_path / "broken.json"
    path.write_text(text)
    with pytest.raises(MalformedInputError, match=r"broken\.json: not a tokenizer\.json"):
        load_counter(str(path))


def test_what_a_tokenizer_json_lacks_is_named(tmp_path: Path) -> None:
    path = tmp_path / "broken.json"
    path.write_text("{}")
    with pytest.raises(MalformedInputError, match=r"not a tokenizer\.json: it lacks 'model'$"):
        load_counter(str(path))


def test_a_broken_model_is_malformed(spec, write) -> None:
    spec["model"]["merges"] = ["nothing that is there"]
    with pytest.raises(MalformedInputError, match="not a merge"):
        load_counter(write(spec))


def test_a_file_that_is_gone_is_missing_input(tmp_path: Path) -> None:
    with pytest.raises(MissingInputError, match="No such file"):
        load_counter(str(tmp_path / "tokenizer.json"))


def test_a_lone_surrogate_counts_as_what_cannot_be_decoded(spec, write) -> None:
    count = load_counter(write(spec))
    assert count("a\ud800b") == count("a\ufffdb")
