import json
from pathlib import Path

import pytest

from ctxkit.core.errors import MissingDependencyError, MissingInputError
from ctxkit.edge.gguf_search import check_local_model, find_model, find_weights

NAME = "Qwen3-1.7B-Q4_K_M.gguf"


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def put(path, data=b"GGUF"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return str(path)


@pytest.mark.parametrize(
    "place",
    [
        f".cache/huggingface/hub/models--unsloth--Qwen3-1.7B-GGUF/snapshots/abc/{NAME}",
        ".cache/llama.cpp/unsloth_Qwen3-1.7B-GGUF_Qwen3-1.7B-Q4_K_M.gguf",
        f"Library/Caches/llama.cpp/{NAME}",
        ".lmstudio/models/lmstudio-community/Qwen3-1.7B-GGUF/qwen3-1.7b-q4_k_m.gguf",
        f".cache/lm-studio/models/a/b/{NAME}",
    ],
)
def test_the_model_is_found_where_other_programs_keep_it(user, place: str) -> None:
    path = put(user / place)
    assert list(find_weights({})) == [path]
    (check,) = check_local_model({}, has_runner=True)
    assert (check.state, check.value) == ("ok", f"Qwen3-1.7B Q4_K_M: {path}, 4 bytes; --summarizer llama uses it")
    assert find_model("", {}) == path
    (check,) = check_local_model({}, has_runner=False)
    assert check.state == "absent"
    assert check.value.endswith("4 bytes; llama-cpp-python, which runs it, is not installed")
    assert "llama-cpp-python>=" in check.hint


@pytest.mark.parametrize("name", ["Qwen3-1.7B-Q8_0.gguf", "Qwen3-17B-Q4_K_M.gguf", "Qwen3-1.7B-Q4_K_M.gguf.part"])
def test_another_size_quantization_or_half_a_file_is_not_it(user, name: str) -> None:
    put(user / ".cache" / "llama.cpp" / name)
    (check,) = check_local_model({})
    assert (check.state, list(find_weights({}))) == ("absent", [])
    assert "ollama pull qwen3:1.7b" in check.hint


def test_variables_of_those_programs_are_followed(user) -> None:
    first = put(user / "[hub]" / "models--a--b" / "snapshots" / "c" / NAME)
    second = put(user / "elsewhere" / NAME)
    assert list(find_weights({"HF_HUB_CACHE": str(user / "[hub]"), "LLAMA_CACHE": str(user / "elsewhere")})) == [first, second]


def test_ollama_names_its_blob_in_a_manifest(user) -> None:
    layers = [
        {"mediaType": "application/vnd.ollama.image.license", "digest": "sha256:1"},
        {"mediaType": "application/vnd.ollama.image.model", "digest": "sha256:2"},
    ]
    manifest = user / ".ollama/models/manifests/registry.ollama.ai/library/qwen3/1.7b"
    put(manifest, json.dumps({"layers": layers}).encode())
    assert list(find_weights({})) == []
    blob = put(user / ".ollama/models/blobs/sha256-2")
    assert list(find_weights({})) == [blob]
    for broken in (b"", b"[]", b'{"layers": 3}', b'{"layers": [{}]}', b"\xff"):
        put(manifest, broken)
        assert list(find_weights({})) == []


def test_a_model_that_is_named_is_taken_and_one_that_is_nowhere_is_told(user) -> None:
    path = put(user / "mine.gguf")
    assert find_model(path, {}) == path
    with pytest.raises(MissingInputError, match="no such file"):
        find_model(str(user / "other.gguf"), {})
    with pytest.raises(MissingDependencyError, match=r"Qwen3-1\.7B Q4_K_M is not found") as trouble:
        find_model("", {})
    assert "ollama pull qwen3:1.7b" in trouble.value.hint
