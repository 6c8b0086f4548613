"""Find the default model for summaries where other programs store models; download nothing."""

import json
import os
from collections.abc import Iterator, Mapping
from glob import escape, glob

from ctxkit.core.checkup import Check
from ctxkit.core.errors import MissingDependencyError, MissingInputError
from ctxkit.core.text.quantity import format_size
from ctxkit.system.installation import install_command, is_installed

TOPIC = "summaries"
NAME = "Qwen3-1.7B Q4_K_M"
FILE_PATTERN = "*[Qq]wen3-1.7[Bb]*[Qq]4_[Kk]_[Mm]*.gguf"
"""Name of the model file, as publishers of GGUF files spell it."""
RUNNER = "llama-cpp-python"
DOWNLOAD_HINT = "hf download unsloth/Qwen3-1.7B-GGUF Qwen3-1.7B-Q4_K_M.gguf, or: ollama pull qwen3:1.7b (1.1 GB)"


def check_local_model(environ: Mapping[str, str], *, has_runner: bool | None = None) -> Iterator[Check]:
    """Yield the path of the model, or how to get it; without it, summaries are extracted.

    ``has_runner`` is whether llama-cpp-python is installed, which a model needs; None means check.
    """
    path = next(find_weights(environ), "")
    if not path:
        yield Check(
            TOPIC, "local model", f"{NAME}: not found; summaries are extracted without a model", "absent", DOWNLOAD_HINT
        )
        return
    description = f"{NAME}: {path}, {format_size(os.path.getsize(path))}"
    if is_installed(RUNNER) if has_runner is None else has_runner:
        yield Check(TOPIC, "local model", f"{description}; --summarizer llama uses it")
    else:
        value = f"{description}; {RUNNER}, which runs it, is not installed"
        yield Check(TOPIC, "local model", value, "absent", install_command(RUNNER))


def find_model(path: str, environ: Mapping[str, str] = os.environ) -> str:
    """Return the path of a model, by default the default model.

    Raise MissingInputError if there is no such file, MissingDependencyError if the default model is not found.
    """
    if path:
        if not os.path.isfile(path):
            raise MissingInputError(f"{path}: no such file")
        return path
    default_path = next(find_weights(environ), "")
    if not default_path:
        also = "" if is_installed(RUNNER) else f"; and: {install_command(RUNNER)}"
        raise MissingDependencyError(f"summarizer: {NAME} is not found", hint=f"{DOWNLOAD_HINT}{also}")
    return default_path


def find_weights(environ: Mapping[str, str]) -> Iterator[str]:
    """Yield the paths of the model in the caches of Hugging Face, llama.cpp, LM Studio and Ollama."""
    home = os.path.expanduser("~")
    cache = environ.get("XDG_CACHE_HOME") or os.path.join(home, ".cache")
    hub = environ.get("HF_HUB_CACHE") or os.path.join(environ.get("HF_HOME") or f"{cache}/huggingface", "hub")
    for pattern in (
        os.path.join(escape(hub), "models--*", "snapshots", "*", FILE_PATTERN),
        os.path.join(escape(environ.get("LLAMA_CACHE") or f"{cache}/llama.cpp"), FILE_PATTERN),
        os.path.join(escape(home), "Library", "Caches", "llama.cpp", FILE_PATTERN),
        os.path.join(escape(home), ".lmstudio", "models", "*", "*", FILE_PATTERN),
        os.path.join(escape(cache), "lm-studio", "models", "*", "*", FILE_PATTERN),
    ):
        yield from (path for path in sorted(glob(pattern)) if os.path.isfile(path))
    yield from _find_in_ollama(environ.get("OLLAMA_MODELS") or os.path.join(home, ".ollama", "models"))


def _find_in_ollama(folder: str) -> Iterator[str]:
    """Yield the blob that Ollama's manifest of qwen3:1.7b names."""
    manifest = os.path.join(folder, "manifests", "registry.ollama.ai", "library", "qwen3", "1.7b")
    try:
        with open(manifest, "rb") as file:
            layers = json.load(file)["layers"]
        digests = [layer["digest"] for layer in layers if layer["mediaType"].endswith("image.model")]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return
    paths = (os.path.join(folder, "blobs", digest.replace(":", "-")) for digest in digests)
    yield from (path for path in paths if os.path.isfile(path))
