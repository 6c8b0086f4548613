"""Which chat template belongs to a model."""

import pytest

from ctxkit.core.count import scheme
from ctxkit.core.count.scheme import find_scheme, name_template
from ctxkit.core.tokens.vocabulary import find_vocabulary, vocabulary_from_file


@pytest.mark.parametrize(
    ("model", "vocabulary", "expected"),
    [
        ("gpt-4o-mini", "o200k", scheme.OPENAI),
        ("gpt-4-0613", "cl100k", scheme.OPENAI_CL100K),
        ("gpt-4.1", "o200k", scheme.OPENAI_LATER),
        ("gpt-5", "o200k", scheme.OPENAI_LATER),
        ("gpt-oss-20b", "o200k", scheme.HARMONY),
        ("anthropic/claude-opus-4", "claude", scheme.ANTHROPIC),
        ("Meta-Llama-3.1-8B", "llama3", scheme.LLAMA31),
        ("llama3", "llama3", scheme.LLAMA3),
        ("qwen2.5-coder", "qwen3", scheme.QWEN2),
        ("my-own-model", "qwen3", scheme.CHATML),
        ("my-own-model", "bytes/3", scheme.UNKNOWN),
    ],
)
def test_the_name_of_a_model_decides_and_then_its_vocabulary(model: str, vocabulary: str, expected) -> None:
    assert find_scheme(model, find_vocabulary(vocabulary)) is expected


@pytest.mark.parametrize(
    ("template", "name", "expected"),
    [
        ("{% for m in messages %}<|im_start|>{{ m.role }}", "chatml", scheme.CHATML),
        (f"<|im_start|>system\n{scheme.QWEN_SYSTEM}", "qwen2", scheme.QWEN2),
        ("<|im_start|>{{ m.role }}<|im_sep|>", "phi", scheme.PHI),
        ("<|start_header_id|>", "llama3", scheme.LLAMA3),
        ("{{ messages }}", "", scheme.UNKNOWN),
    ],
)
def test_the_marks_of_a_chat_template_tell_its_scheme(template: str, name: str, expected) -> None:
    assert name_template(template) == name
    vocabulary = vocabulary_from_file("/models/own.gguf", name)
    assert find_scheme("my-own-model", vocabulary) == expected._replace(exact=False)


def test_the_provider_of_a_format_beats_what_was_not_named() -> None:
    assert find_scheme("", find_vocabulary("o200k"), "anthropic") is scheme.ANTHROPIC
    assert find_scheme("", find_vocabulary("o200k"), "google") is scheme.GEMINI
    assert find_scheme("", find_vocabulary("o200k"), "openai") is scheme.OPENAI
