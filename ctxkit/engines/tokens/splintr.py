"""Load tokenizers of splintr-rs, whose wheel contains all vocabularies but two: nothing is downloaded."""

from typing import TYPE_CHECKING, Any

from ctxkit.core.errors import MissingDependencyError
from ctxkit.engines.tokens.text_counter import Encode

if TYPE_CHECKING:
    from splintr import AnyTokenizer

_NAMES = {"o200k": "o200k_base", "cl100k": "cl100k_base"}
_GPT2 = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
_OWN_TABLES = {"r50k": _GPT2, "p50k": _GPT2}
"""Patterns of the tables that the wheel lacks (tiktoken_ext/openai_public.py); ctxkit ships their ranks."""


def load_encoder(ranks: str) -> Encode:
    """Return the encoder of a table; raise MissingDependencyError if splintr-rs is not installed or lacks it."""
    encode: Encode = _load(ranks).encode_ordinary
    return encode


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


_loaded: dict[str, Any] = {}
"""Tables that this process has loaded; those of splintr and of ctxkit share no class."""


def _load(ranks: str) -> Any:
    if ranks not in _loaded:
        try:
            from splintr import Tokenizer

            if ranks in _OWN_TABLES:
                _loaded[ranks] = Tokenizer.from_bytes(_format_own_table(ranks), _OWN_TABLES[ranks])
            else:
                _loaded[ranks] = Tokenizer.from_pretrained(_NAMES.get(ranks, ranks))
        except ImportError as error:
            raise _absent_error(error) from error
        except ValueError as error:
            raise MissingDependencyError(f"splintr-rs has no vocabulary {ranks}: {error}") from error
    return _loaded[ranks]


def _format_own_table(ranks: str) -> bytes:
    """Return a table that ctxkit ships in OpenAI's format: a token in base64 and its rank on each line."""
    from binascii import b2a_base64

    from ctxkit.engines.tokens.ranks import read_ranks

    rows = read_ranks(ranks).items()
    return b"".join(b"%b %d\n" % (b2a_base64(token, newline=False), rank) for token, rank in rows)


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
    from ctxkit.installation import repair_command

    return MissingDependencyError(f"splintr-rs cannot be loaded: {error}", hint=repair_command("splintr-rs"))
