from time import perf_counter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ctxkit.core.models.model_aliases import canonical_key, fold_spelling, generate_spellings, is_local

NAMES = st.text("abcdqvp0123456789-_./:@+ é", max_size=30)


@pytest.mark.parametrize(
    ("spelled", "key"),
    [
        ("Qwen3-30B-A3B", "qwen3-30ba3b"),
        ("qwen-3-30b-a3b", "qwen3-30ba3b"),
        ("claude-3-5-sonnet-20241022", "claudesonnet3-5-20241022"),
        ("Claude Sonnet 3.5", "claudesonnet3-5"),
        ("claude-opus-4.1", "claudeopus4-1"),
        ("claude-instant", "claudeinstant"),
        ("llama-v3p1-8b", "llama3-1-8b"),
        ("deepseek-v3.1", "deepseek3-1"),
        ("glm-4.6v", "glm4-6v"),
        ("command-r+", "commandrplus"),
        ("gpt-4-1", "gpt4-1"),
        ("", ""),
        ("---", ""),
    ],
)
def test_what_writers_vary_is_folded(spelled: str, key: str) -> None:
    assert fold_spelling(spelled) == key


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("gpt-4.1", "gpt-41"),
        ("llama-3.2-1b", "llama-3-21b"),
        ("qwen3-30b-a3b", "qwen3-30b-a3b-2507"),
        ("qwen3-8b", "qwen3-18b"),
        ("gpt-4o", "gpt-4o-mini"),
        ("kimi-k2", "kimi-k2-thinking"),
        ("llama-3.3-70b", "llama-3.3-70b-turbo"),
        ("deepseek-r1", "deepseek-r1-distill-qwen-7b"),
        ("claude-3-5-sonnet", "claude-3-5-haiku"),
        ("claude-3-opus:28k", "claude-3-opus"),
    ],
)
def test_what_tells_models_apart_is_kept(one: str, other: str) -> None:
    assert canonical_key(one) != canonical_key(other)


@pytest.mark.parametrize(
    "spelled",
    [
        "Qwen/Qwen3-8B-GGUF",
        "Qwen3-8B-Q4_K_M.gguf",
        "Qwen3-8B-UD-IQ2_XXS.gguf",
        "Qwen3-8B-BF16-00001-of-00003.gguf",
        "hf.co/unsloth/Qwen3-8B-GGUF:Q4_K_M",
        "qwen3:8b",
        "qwen3:8b-q8_0",
        "mlx-community/Qwen3-8B-4bit",
        "qwen/qwen3-8b:free",
        "Qwen/Qwen3-8B-AWQ",
        "Qwen/Qwen3-8B-FP8",
        r"C:\models\Qwen3-8B-Q5_K_S.gguf",
        "/models/Qwen3-8B/",
        "unsloth-Qwen3-8B",
    ],
)
def test_what_hosts_and_files_add_is_taken_off(spelled: str) -> None:
    assert canonical_key(spelled) == "qwen3-8b"


@given(NAMES)
def test_folding_again_changes_nothing_but_claudes_order_and_the_barest_comes_last(name) -> None:
    keys = list(generate_spellings(name))
    assert keys[-1] == canonical_key(name)
    assert fold_spelling(keys[0]) == keys[0] or "v" in name or "p" in name
    assert all(key == key.lower() and key.isascii() for key in keys)


@given(NAMES)
@example(" a_-")
def test_letter_case_and_the_host_in_front_never_matter(name) -> None:
    assert list(generate_spellings(name.upper())) == list(generate_spellings(name))
    assert list(generate_spellings(f"host/{name}")) == list(generate_spellings(name)) or name.strip(" /") == ""


@pytest.mark.parametrize(
    "name",
    [
        *("house:7b", "llama3.2:1b", "mixtral:8x7b", "gemma3n:e4b", "phi:3.8b-mini-q4_0", "smol:135m", "HOUSE:7B"),
        *("model.gguf", "/models/My Model.Q4_K_M.gguf", "unsloth/House-GGUF", "mlx-community/house-mlx-4bit", "house-IQ3_XXS"),
    ],
)
def test_a_name_with_a_size_as_its_tag_or_a_local_format_is_that_of_a_local_model(name) -> None:
    assert is_local(name)


@pytest.mark.parametrize(
    "name",
    ["", "gpt-9", "house-7b", "house:latest", "house:free", "gpt-oss:20b-cloud", "ft:gpt-9:org::abc1", "amazon.house-v1:0", "house-fp8", "a:b:c"],
)
def test_other_names_are_not(name: str) -> None:
    assert not is_local(name)


@pytest.mark.parametrize("text", ["a:" * 500_000, "1" * 10**6, ":" + "1" * 10**6, "-q4_k" * 200_000, "x:1b-" + "a-" * 10**6])
def test_a_name_of_any_length_is_looked_at_in_no_time(text: str) -> None:
    started = perf_counter()
    is_local(text)
    assert perf_counter() - started < 1
