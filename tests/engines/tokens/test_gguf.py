import sys
from pathlib import Path

import pytest

from bench.strings import strings
from ctxkit.core.errors import MalformedInputError, MissingDependencyError, MissingInputError
from ctxkit.engines.tokens.gguf import is_gguf, load_counter, read_vocabulary
from ctxkit.engines.tokens.huggingface import load_counter as of_json

SAMPLES = [*strings(200), "", "<think>more</think>", "<|endoftext|>"]


def test_a_gguf_file_counts_as_its_tokenizer_json(values, write_gguf, spec, write) -> None:
    count, expected = load_counter(write_gguf(values)), of_json(write(spec))
    assert [count(text) for text in SAMPLES] == [expected(text) for text in SAMPLES]


def test_words_that_a_user_defined_are_one_token_but_for_those_llama_cpp_takes_for_special(values, write_gguf) -> None:
    count = load_counter(write_gguf(values))
    assert count("<think>") == 1
    assert count("<|fim_prefix|>") > 1
    assert count("<|endoftext|>") > 1


@pytest.mark.parametrize("version", [2, 3])
def test_only_the_header_is_read(values, write_gguf, version: int) -> None:
    found = read_vocabulary(write_gguf(values, version=version))
    assert set(found) == {"model", "pre", "tokens", "merges", "token_type"}
    assert found["tokens"][0] == "!"
    assert found["token_type"][-2:] == [4, 4]


@pytest.mark.parametrize("change", [{"tokenizer.ggml.model": "llama"}, {"tokenizer.ggml.pre": "jais"}])
def test_a_vocabulary_that_only_llama_cpp_reads_needs_it(values, write_gguf, monkeypatch: pytest.MonkeyPatch, change) -> None:
    monkeypatch.setitem(sys.modules, "llama_cpp", None)
    with pytest.raises(MissingDependencyError, match=r"only llama\.cpp") as caught:
        load_counter(write_gguf({**values, **change}))
    assert "llama-cpp-python>=" in caught.value.hint


def test_a_file_that_is_cut_off_is_malformed_wherever_it_is_cut(values, write_gguf, tmp_path: Path) -> None:
    few = {**values, "tokenizer.ggml.tokens": ["a", "b"], "tokenizer.ggml.merges": ["a b"]}
    few["tokenizer.ggml.token_type"] = [1, 1]
    path = write_gguf(few)
    with open(path, "rb") as file:
        data = file.read()
    for end in range(4, len(data)):
        cut = tmp_path / "cut.gguf"
        cut.write_bytes(data[:end])
        with pytest.raises(MalformedInputError, match=r"cut\.gguf"):
            load_counter(str(cut))


@pytest.mark.parametrize("data", [b"GGUF", b"GGUF" + b"\xff" * 40, b"GGUF" + b"\x00" * 40, b"GGUF\x03\0\0\0" + b"\xff" * 90])
def test_what_only_begins_like_gguf_is_malformed(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "odd.gguf"
    path.write_bytes(data)
    assert is_gguf(str(path))
    with pytest.raises(MalformedInputError, match=r"odd\.gguf"):
        load_counter(str(path))


def test_a_file_without_a_vocabulary_says_so(write_gguf) -> None:
    with pytest.raises(MalformedInputError, match="no vocabulary"):
        load_counter(write_gguf({"general.architecture": "clip"}))


def test_a_vocabulary_whose_merges_are_wrong_is_malformed(values, write_gguf) -> None:
    with pytest.raises(MalformedInputError, match="cannot be read"):
        load_counter(write_gguf({**values, "tokenizer.ggml.merges": ["what is this"]}))


def test_a_file_that_is_gone_is_missing_input(tmp_path: Path) -> None:
    with pytest.raises(MissingInputError, match="No such file"):
        is_gguf(str(tmp_path / "gone.gguf"))
