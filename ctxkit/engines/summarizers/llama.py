"""A summary by a GGUF model on this machine, held to the template by a grammar (the extra ``llama``)."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

from ctxkit.core.context.voice import Voice
from ctxkit.core.trouble import EngineAbsent, IOFailed, Malformed
from ctxkit.engines.silence import silence

WINDOW = 4_096
"""Tokens of the model's window that are used at most: each is read the slower the more stand before it, and small
models lose track."""
ANSWER = 800
"""Tokens that an answer may take: a full template."""
MARGIN = 64
"""Tokens that a chat template may put around a prompt."""
MOST = 2
"""Prompts that one conversation is worth: a processor reads each for a minute or more."""
SECONDS = 600
"""Seconds that a prompt and its answer may take."""
THREADS = ("OMP_WAIT_POLICY", "passive")
"""What OpenMP is told: threads that spin while they wait write 30 times slower where others want the processor."""


def voice(path: str, grammar: str, seconds: float = SECONDS) -> Voice:
    """Return the voice of a model whose answers follow a ``grammar`` in GBNF.

    Raises EngineAbsent without llama-cpp-python, Malformed for a file that llama.cpp cannot read.
    """
    model = _loaded(path)
    from llama_cpp import LlamaGrammar

    held = LlamaGrammar.from_string(grammar, verbose=False)
    window = min(model.n_ctx(), WINDOW)
    answer = min(ANSWER, window // 3)
    return Voice(
        lambda prompt: _asked(model, held, prompt, answer, seconds),
        max(window - answer - MARGIN, 1),
        lambda text: len(model.tokenize(text.encode("utf-8", "replace"), add_bos=False, special=False)),
        MOST,
    )


def _loaded(path: str) -> Any:
    os.environ.setdefault(*THREADS)  # OpenMP reads it once, when it is loaded
    try:
        from llama_cpp import Llama
    except ImportError:
        hint = "pip install 'ctxkit[llama]'; --summarizer extract needs no model"
        raise EngineAbsent("summarizer: llama-cpp-python is not installed", hint=hint) from None
    silence()
    many = _processors()
    try:
        trained = Llama(model_path=path, vocab_only=True, verbose=False).metadata
        given = {
            "n_ctx": min(_trained(trained), WINDOW),
            # Writing waits for memory more than for processors.
            "n_threads": max(min(_idle(many), max(many // 2, 2)), 1),
            "n_threads_batch": many,
            "n_gpu_layers": -1,
        }
        return Llama(model_path=path, seed=0, verbose=False, **given)
    except (ValueError, OSError, RuntimeError, AssertionError) as error:  # llama-cpp-python raises what comes to hand
        raise Malformed(f"{path}: llama.cpp cannot load it: {error}") from None


def _processors() -> int:
    """Return how many processors this process may use."""
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed else os.cpu_count() or 1


def _idle(many: int) -> int:
    """Return how many of the processors have nothing to do: threads that write wait for each other at every step."""
    try:
        return round(many - os.getloadavg()[0])
    except (AttributeError, OSError):
        return many


def _trained(metadata: dict[str, str]) -> int:
    """Return the window that a model was trained with, as its file says."""
    found = next((held for key, held in metadata.items() if key.endswith(".context_length")), "")
    return int(found) if found.isdigit() else WINDOW


def _asked(model: Any, grammar: Any, prompt: str, answer: int, seconds: float) -> str:
    """Ask once, deterministically: as a chat where the file has a chat template, else as plain text.

    Raises KeyboardInterrupt at once when the user wants that, IOFailed when it takes too long.
    """
    given = {"grammar": grammar, "temperature": 0.0, "max_tokens": answer, "seed": 0}
    with _stoppable(model, seconds) as late:
        try:
            if "tokenizer.chat_template" in model.metadata:
                messages = [{"role": "user", "content": prompt}]
                return str(model.create_chat_completion(messages=messages, **given)["choices"][0]["message"]["content"])
            return str(model.create_completion(prompt=prompt, **given)["choices"][0]["text"])
        except (ValueError, RuntimeError) as error:
            said = f"no answer in {seconds:g} s" if late() else f"llama.cpp: {error}"
            raise IOFailed(f"summarizer: {said}") from None


@contextmanager
def _stoppable(model: Any, seconds: float) -> Iterator[Callable[[], bool]]:
    """Let llama.cpp stop in the middle of a computation, when time is up or the user interrupts.

    Within it an interruption is noted rather than raised, as Python runs no handler while llama.cpp computes; what
    llama.cpp calls between two steps of a computation lets the handler run.
    """
    import llama_cpp

    limit, interrupted = monotonic() + seconds, list[int]()

    def stops(_: object = None) -> bool:
        """Tell whether to stop."""
        return bool(interrupted) or monotonic() > limit

    callback = llama_cpp.ggml_abort_callback(stops)
    llama_cpp.llama_set_abort_callback(model.ctx, callback, None)
    before = _handled(lambda number, _: interrupted.append(number))
    try:
        yield lambda: monotonic() > limit
    except IOFailed:
        if interrupted:
            raise KeyboardInterrupt from None
        raise
    finally:
        _handled(before)
        llama_cpp.llama_set_abort_callback(model.ctx, llama_cpp.ggml_abort_callback(), None)
    if interrupted:
        raise KeyboardInterrupt


def _handled(handler: Any) -> Any:
    """Set who is told of an interruption, and return who was before; None where nobody is to be or can be told."""
    try:
        return None if signal.getsignal(signal.SIGINT) is signal.SIG_IGN else signal.signal(signal.SIGINT, handler)
    except (ValueError, TypeError):  # another thread than the main one, or nobody was told before
        return None
