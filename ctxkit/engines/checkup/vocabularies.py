"""Check that each vocabulary loads and counts, and report the compiled ones."""

from collections.abc import Iterator

from ctxkit.core.checkup import Check
from ctxkit.core.errors import CtxkitError
from ctxkit.core.text.quantity import format_size
from ctxkit.core.tokens.vocabulary import VOCABULARIES, Vocabulary
from ctxkit.engines import tokens, vocabulary_tables
from ctxkit.system.installation import repair_command

TOPIC = "engines"
SAMPLE = "Two words, 42 and 字.\n"


def checks(cache: str) -> Iterator[Check]:
    """Yield one check of the vocabularies that load, one for each reason why others do not, and one of the compiled."""
    failed: dict[tuple[str, str], list[str]] = {}
    loaded = []
    for vocabulary in VOCABULARIES.values():
        tokens.forget_encoders()  # all tables together take 300 MB
        why = _find_failure(vocabulary)
        if why:
            failed.setdefault(why, []).append(vocabulary.name)
        else:
            loaded.append(vocabulary.name)
    if loaded:
        yield Check(TOPIC, "vocabularies", f"{len(loaded)} load: {', '.join(loaded)}")
    for (reason, hint), names in failed.items():
        hint = hint or repair_command("splintr-rs")
        yield Check(TOPIC, "vocabularies", f"{', '.join(names)}: {reason}", "bad", hint)
    if tables := vocabulary_tables.list_tables(cache):
        size = format_size(sum(state.st_size for _, state in tables))
        yield Check(TOPIC, "compiled vocabularies", f"{', '.join(name for name, _ in tables)}: {size}")


def _find_failure(vocabulary: Vocabulary) -> tuple[str, str] | None:
    """Return why a vocabulary does not count, and a hint; None if it counts."""
    try:
        return None if tokens.load_tokenizer(vocabulary)(SAMPLE) > 0 else ("it counts nothing", "")
    except CtxkitError as known_error:
        return str(known_error), known_error.hint
    except Exception as error:  # check the other vocabularies after any error
        return f"{type(error).__name__}: {error}", ""
