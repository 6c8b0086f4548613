"""Count with the vocabulary of a GGUF file as llama.cpp reads it (the extra ``llama``)."""

import os
from typing import Any

from ctxkit.core.errors import MalformedInputError, MissingDependencyError
from ctxkit.core.tokens.vocabulary import Tokenizer
from ctxkit.engines.llama_log import silence
from ctxkit.engines.tokens.text_counter import make_counter


def load_counter(path: str) -> Tokenizer:
    """Return a counter that calls llama.cpp.

    Raise MissingDependencyError if it is not installed, MalformedInputError if it fails.
    """
    try:
        from llama_cpp import Llama
    except ImportError:
        from ctxkit.system.installation import install_command

        message = f"{path}: only llama.cpp reads this kind of vocabulary"
        hint = f"{install_command('llama-cpp-python')}, or name the model's tokenizer.json"
        raise MissingDependencyError(message, hint=hint) from None
    silence()
    _renew_null_files()
    try:
        model = Llama(model_path=path, vocab_only=True, verbose=False)
    except Exception as error:  # llama-cpp-python raises many types
        raise MalformedInputError(f"{path}: llama.cpp cannot read it: {error}") from None
    return make_counter(lambda text: model.tokenize(text.encode(), add_bos=False, special=False))


_OLD_NULL_FILES: list[Any] = []
"""Files that are never closed: their numbers may be those of other files now."""


def _renew_null_files() -> None:
    """Open the files anew to which llama-cpp-python directs stdout and stderr while it loads a model.

    It opens them at its import. A process that was forked since has closed them, and stdout would become stderr.
    """
    try:
        from llama_cpp import _utils

        _OLD_NULL_FILES.append((_utils.outnull_file, _utils.errnull_file))
    except (ImportError, AttributeError):
        return
    _utils.outnull_file, _utils.errnull_file = (open(os.devnull, "w") for _ in range(2))  # noqa: SIM115
