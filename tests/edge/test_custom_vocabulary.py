from pathlib import Path

import pytest

from ctxkit.core.errors import MalformedInputError, MissingInputError, UsageError
from ctxkit.core.tokens.token_count import BOUNDLESS, token_bound
from ctxkit.edge import custom_vocabulary
from ctxkit.edge.custom_vocabulary import is_path, read_vocabulary
from ctxkit.edge.option_values import vocabulary_of


@pytest.mark.parametrize("name", ["tokenizer.json", "m.GGUF", "./x", "/models/qwen", "a/b.gguf", "bytes/three", "chars/4/x", "bytes/4.gguf"])
def test_a_slash_or_an_ending_makes_a_path(name: str) -> None:
    assert is_path(name)


@pytest.mark.parametrize("name", ["bytes/3", "bytes/4", "chars/3.5", "chars/0", "qwen3", "json", "o200k_base"])
def test_names_are_no_paths(name: str) -> None:
    assert not is_path(name)


@pytest.mark.parametrize("start", [b"GGUF\x03\0\0\0", b'{"version"', b"\xef\xbb\xbf \n {"])
def test_a_file_of_either_kind_is_exact_without_a_bound_and_without_cuts(tmp_path: Path, start: bytes) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_bytes(start)
    found = vocabulary_of(str(path))
    assert (found.name, found.file, found.exact, found.cuts) == (str(path), str(path), True, False)
    assert token_bound(b"", found) == token_bound(b"some text", found) == BOUNDLESS


def test_the_chat_template_of_a_gguf_file_is_known_by_its_marks(tmp_path: Path) -> None:
    path = tmp_path / "own.gguf"
    path.write_bytes(b"GGUF\x03\0\0\0 tokenizer.chat_template \x08 {{ bos }}<|im_start|>{{ role }}")
    assert read_vocabulary(str(path)).template == "chatml"
    path.write_bytes(b"GGUF\x03\0\0\0 <|im_start|>")
    assert read_vocabulary(str(path)).template == ""


def test_a_directory_hints_at_the_file_in_it(tmp_path: Path) -> None:
    with pytest.raises(MissingInputError, match="is a directory"):
        read_vocabulary(str(tmp_path))
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(MissingInputError, match="is a directory") as caught:
        read_vocabulary(str(tmp_path))
    assert caught.value.hint == f"--tokenizer {tmp_path}/tokenizer.json"


@pytest.mark.parametrize("content", [b"", b"GGU", b"[1]", b"\x00\x01", b"PK\x03\x04"])
def test_any_other_file_is_malformed(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(content)
    with pytest.raises(MalformedInputError, match="neither a tokenizer"):
        read_vocabulary(str(path))


@pytest.mark.parametrize("name", ["gone.json", "/nowhere/at/all", "a\0b.gguf"])
def test_what_is_not_there_is_missing_input(name: str) -> None:
    with pytest.raises(MissingInputError):
        read_vocabulary(name)


def test_a_name_that_nothing_has_names_those_there_are() -> None:
    with pytest.raises(UsageError, match="unknown tokenizer: klingon") as caught:
        vocabulary_of("klingon")
    assert "qwen3" in caught.value.hint
    assert "GGUF" in caught.value.hint


def test_a_gguf_file_is_a_model_with_the_window_of_its_header(tmp_path: Path) -> None:
    path = tmp_path / "own.gguf"
    key = b"qwen3.context_length"
    path.write_bytes(b"GGUF" + bytes(20) + len(key).to_bytes(8, "little") + key + (4).to_bytes(4, "little") + (40960).to_bytes(4, "little"))
    model = custom_vocabulary.read_model(str(path))
    assert (model.window, model.tokenizer) == (40960, str(path))
    path.write_bytes(b"GGUF" + bytes(60))
    assert custom_vocabulary.read_model(str(path)).window == 0
    assert custom_vocabulary.read_model(str(tmp_path / "absent.gguf")) is None
