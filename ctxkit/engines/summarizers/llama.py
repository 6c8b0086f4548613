"""A summary by a GGUF model on this machine, held to the template by a grammar (the extra ``llama``)."""

import os
from functools import cache
from typing import Any

from ctxkit.core.context.voice import Voice
from ctxkit.core.trouble import EngineAbsent, IOFailed, Malformed

WINDOW = 8_192
"""Tokens of the model's window that are used at most: more takes memory and time, and small models lose track."""
ANSWER = 1_200
"""Tokens that an answer may take: a full template with room to spare."""
MARGIN = 64
"""Tokens that a chat template may put around a prompt."""


def voice(path: str, grammar: str, threads: int = 0) -> Voice:
    """Return the voice of a model whose answers follow a ``grammar`` in GBNF.

    Raises EngineAbsent without llama-cpp-python, Malformed for a file that llama.cpp cannot read.
    """
    model = _loaded(path, threads)
    from llama_cpp import LlamaGrammar

    held = LlamaGrammar.from_string(grammar, verbose=False)
    window = min(model.n_ctx(), WINDOW)
    answer = min(ANSWER, window // 3)
    return Voice(
        lambda prompt: _asked(model, held, prompt, answer),
        max(window - answer - MARGIN, 1),
        lambda text: len(model.tokenize(text.encode("utf-8", "replace"), add_bos=False, special=False)),
    )


def _loaded(path: str, threads: int) -> Any:
    try:
        from llama_cpp import Llama
    except ImportError:
        hint = "pip install 'ctxkit[llama]'; --summarizer extract needs no model"
        raise EngineAbsent("summarizer: llama-cpp-python is not installed", hint=hint) from None
    _silence()
    many = threads or os.cpu_count() or 1
    try:
        trained = Llama(model_path=path, vocab_only=True, verbose=False).metadata
        window = min(_trained(trained), WINDOW)
        return Llama(model_path=path, n_ctx=window, n_threads=many, seed=0, verbose=False)
    except (ValueError, OSError, RuntimeError, AssertionError) as error:  # llama-cpp-python raises what comes to hand
        raise Malformed(f"{path}: llama.cpp cannot load it: {error}") from None


@cache
def _silence() -> Any:
    """Keep llama.cpp's own talk off stderr; what is returned must live as long as the process."""
    import llama_cpp

    quiet = llama_cpp.llama_log_callback(lambda *_: None)
    llama_cpp.llama_log_set(quiet, None)
    return quiet


def _trained(metadata: dict[str, str]) -> int:
    """Return the window that a model was trained with, as its file says."""
    found = next((held for key, held in metadata.items() if key.endswith(".context_length")), "")
    return int(found) if found.isdigit() else WINDOW


def _asked(model: Any, grammar: Any, prompt: str, answer: int) -> str:
    """Ask once, deterministically: as a chat where the file has a chat template, else as plain text."""
    given = {"grammar": grammar, "temperature": 0.0, "max_tokens": answer, "seed": 0}
    try:
        if "tokenizer.chat_template" in model.metadata:
            messages = [{"role": "user", "content": prompt}]
            return str(model.create_chat_completion(messages=messages, **given)["choices"][0]["message"]["content"])
        return str(model.create_completion(prompt=prompt, **given)["choices"][0]["text"])
    except (ValueError, RuntimeError) as error:
        raise IOFailed(f"summarizer: llama.cpp: {error}") from None
