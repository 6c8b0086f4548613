"""The default model for summaries, looked for where other programs keep models. Nothing is downloaded."""

import json
import os
import sys
from collections.abc import Iterator, Mapping
from glob import escape, glob

from ctxkit.core.checkup import Check
from ctxkit.core.measure import size_of
from ctxkit.core.trouble import EngineAbsent, MissingInput
from ctxkit.edge.checkup.extras import installed, installing

TOPIC = "summaries"
NAME = "Qwen3-1.7B Q4_K_M"
FILE = "*[Qq]wen3-1.7[Bb]*[Qq]4_[Kk]_[Mm]*.gguf"
"""The name of its file, as the publishers of GGUF files spell it."""
RUNNER = "llama-cpp-python"
GET = "hf download unsloth/Qwen3-1.7B-GGUF Qwen3-1.7B-Q4_K_M.gguf, or: ollama pull qwen3:1.7b (1.1 GB)"


def checks(environ: Mapping[str, str], *, runs: bool | None = None) -> Iterator[Check]:
    """Yield where the model is, or how to get it; summaries are extracted without any model until then.

    ``runs`` tells whether llama-cpp-python is installed, which a model needs; it is looked for where that is None.
    """
    found = next(weights(environ), "")
    if not found:
        yield Check(TOPIC, "local model", f"{NAME}: not found; summaries are extracted without a model", "absent", GET)
        return
    held = f"{NAME}: {found}, {size_of(os.path.getsize(found))}"
    if installed(RUNNER) if runs is None else runs:
        yield Check(TOPIC, "local model", f"{held}; --summarizer llama asks it")
    else:
        hint = installing("llama", sys.prefix, sys.executable)
        yield Check(TOPIC, "local model", f"{held}; {RUNNER}, which runs it, is not installed", "absent", hint)


def chosen(path: str, environ: Mapping[str, str] = os.environ) -> str:
    """Return the path of a model, the default one where none is named.

    Raises MissingInput where there is no such file, EngineAbsent where the default one is nowhere.
    """
    if path:
        if not os.path.isfile(path):
            raise MissingInput(f"{path}: no such file")
        return path
    found = next(weights(environ), "")
    if not found:
        also = "" if installed(RUNNER) else f"; and: {installing('llama', sys.prefix, sys.executable)}"
        raise EngineAbsent(f"summarizer: {NAME} is not found", hint=f"{GET}{also}")
    return found


def weights(environ: Mapping[str, str]) -> Iterator[str]:
    """Yield the paths of the model: in the caches of Hugging Face, llama.cpp, LM Studio and Ollama."""
    home = os.path.expanduser("~")
    cache = environ.get("XDG_CACHE_HOME") or os.path.join(home, ".cache")
    hub = environ.get("HF_HUB_CACHE") or os.path.join(environ.get("HF_HOME") or f"{cache}/huggingface", "hub")
    for pattern in (
        os.path.join(escape(hub), "models--*", "snapshots", "*", FILE),
        os.path.join(escape(environ.get("LLAMA_CACHE") or f"{cache}/llama.cpp"), FILE),
        os.path.join(escape(home), "Library", "Caches", "llama.cpp", FILE),
        os.path.join(escape(home), ".lmstudio", "models", "*", "*", FILE),
        os.path.join(escape(cache), "lm-studio", "models", "*", "*", FILE),
    ):
        yield from (path for path in sorted(glob(pattern)) if os.path.isfile(path))
    yield from _of_ollama(environ.get("OLLAMA_MODELS") or os.path.join(home, ".ollama", "models"))


def _of_ollama(folder: str) -> Iterator[str]:
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
