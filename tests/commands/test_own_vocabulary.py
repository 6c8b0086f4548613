"""--tokenizer with the path of a file, as a user gives it."""

import json
from pathlib import Path

import pytest

from ctxkit.engines.tokens.tiktoken import read_ranks
from tests.conftest import Run


def tokenizer_json():
    """Bytes and nothing merged but spaces: as many tokens as there are bytes of what is not spaces."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in plain]
    letters = [*map(chr, plain), *(chr(256 + at) for at in range(len(others)))]
    vocab = {letter: at for at, letter in enumerate([*letters, "ĠĠ"])}
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    think = {"id": 257, "content": "<think>", "special": False, "single_word": False}
    flags = {"lstrip": False, "rstrip": False, "normalized": False}
    model = {"type": "BPE", "dropout": None, "unk_token": None, "vocab": vocab, "merges": ["Ġ Ġ"]}
    added = [{**think, **flags}]
    return json.dumps({"version": "1.0", "added_tokens": added, "pre_tokenizer": level, "model": model})


@pytest.fixture
def model(tmp_path: Path):
    path = tmp_path / "model"
    path.mkdir()
    (path / "tokenizer.json").write_text(tokenizer_json())
    return path


def gated(run, *args, stdin, **how):
    done = run("gate", "--window", "2000", "--json", *args, stdin=stdin, **how)
    assert done.status == 0, done.err
    return json.loads(done.out)


def test_the_gate_counts_with_a_tokenizer_json(run: Run, model) -> None:
    path = model / "tokenizer.json"
    found = gated(run, "--tokenizer", path, stdin="<think>abc     \n" + "x" * 90)
    assert (found["tokens"], found["method"], found["tokenizer"]) == (1 + 3 + 3 + 1 + 90, "exact", str(path))


def test_a_setting_names_a_file_from_where_it_is_written(run: Run, model, home: dict[str, str]) -> None:
    config = Path(home["XDG_CONFIG_HOME"]) / "ctxkit"
    config.mkdir()
    (config / "config.toml").write_text(f'trusted = ["{model}"]\n')
    (model / ".ctxkit.toml").write_text('tokenizer = "./tokenizer.json"\n')
    below = model / "src"
    below.mkdir()
    assert gated(run, stdin="abcdef", cwd=below)["tokens"] == 6


def test_without_names_all_are_named_and_files_too(run: Run) -> None:
    done = run("gate", "--window", "99", "--tokenizer", "klingon", stdin="x")
    assert done.status == 2
    assert "or the path of a tokenizer.json or a GGUF file" in done.err


@pytest.mark.parametrize(
    ("name", "content", "status", "words"),
    [
        ("gone.json", None, 66, "No such file"),
        ("odd.json", b"PK\x03\x04", 65, "neither a tokenizer.json nor a GGUF file"),
        ("broken.json", b'{"model": ', 65, "not a tokenizer.json"),
        ("broken.gguf", b"GGUF\x03\0\0\0", 65, "it ends early"),
    ],
)
def test_a_bad_file_is_one_line_and_a_status(run: Run, tmp_path: Path, name: str, content: bytes | None, status: int, words: str) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    done = run("gate", "--window", "99", "--strict", "--tokenizer", tmp_path / name, stdin="x")
    assert done.status == status
    assert words in done.err.splitlines()[0]
    assert "Traceback" not in done.err


def test_gpt2_counts_with_its_own_table(run: Run) -> None:
    assert len(read_ranks("r50k")) == 50256
    assert gated(run, "--tokenizer", "gpt2", "--used", "1560", stdin="hello   world\n")["tokens"] == 5


def test_a_session_finds_its_tokenizer_from_any_directory(run: Run, model, tmp_path: Path) -> None:
    done = run("session", "new", "s", "--window", "2000", "--tokenizer", "./tokenizer.json", cwd=model)
    assert (done.status, done.err) == (0, "")
    assert gated(run, "--session", "s", stdin="abcdef", cwd=tmp_path)["tokens"] == 6
    gated(run, "--session", "t", "--tokenizer", "./tokenizer.json", stdin="abc", cwd=model)
    assert gated(run, "--session", "t", stdin="abcdef", cwd=tmp_path)["tokens"] == 6


def test_no_session_begins_with_a_tokenizer_that_cannot_count(run: Run, tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_text("{}")
    done = run("session", "new", "s", "--window", "2000", "--tokenizer", "./broken.json", cwd=tmp_path)
    assert (done.status, done.out) == (65, b"")
    assert run("session", "status", "s").status == 1
