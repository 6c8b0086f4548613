"""Answer the calls of the server in one of its processes: commands, and counts and maps for other processes."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Any

from ctxkit.app.services import sessions
from ctxkit.core.errors import Exit, UsageError
from ctxkit.core.serve import read_caller
from ctxkit.edge import call_process, out, settings, source
from ctxkit.edge.command_group import run_command, run_for_status

if TYPE_CHECKING:
    from collections.abc import Callable

    import click

_PACKAGES = (
    *("core.brief", "core.budget", "core.chat", "core.compact", "core.count", "core.gate"),
    *("core.redaction", "core.session", "core.store", "core.summary", "core.tokens"),
    "commands.cache",
)
"""Packages that calls need whole."""
MODULES = (
    *("app.services.compaction", "app.services.engines", "app.services.remote_engine"),
    *("commands.brief", "commands.budget", "commands.compact", "commands.count", "commands.gate"),
    *("core.models.model_aliases", "core.text.quantity", "edge.compaction", "edge.compact_options"),
    *("commands.session", "edge.custom_vocabulary", "edge.session_request", "edge.session_view", "engines.blob_writer"),
    *("engines.catalog", "engines.decoder", "engines.history", "engines.isolation", "engines.ledger"),
    *("engines.local_store", "engines.syntax"),
)
"""Modules that calls import on first use."""
_GRAMMARS = ("python", "javascript", "typescript", "rust", "go", "java", "c")
"""Languages whose grammars are loaded at the start; others are loaded by the map that needs them."""


def load_for_calls(vocabularies: tuple[str, ...]) -> None:
    """Load the code, the vocabularies and the grammars that calls need, before processes are forked."""
    from importlib import import_module
    from pkgutil import walk_packages

    import orjson

    from ctxkit.core.tokens.vocabulary import VOCABULARIES
    from ctxkit.engines import grammars, tokens

    for name in _PACKAGES:
        package = import_module(f"ctxkit.{name}")
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            import_module(module.name)
    for name in MODULES:
        import_module(f"ctxkit.{name}")
    for language in _GRAMMARS:
        grammars.load_grammar(language)
    sample = _read_sample()
    assert orjson.loads(orjson.dumps(sample)) == sample  # both are imported by the first call otherwise
    for name in vocabularies:
        tokens.load_tokenizer(VOCABULARIES[name])(sample)


def _read_sample() -> str:
    """Return text of several kinds: an encoder builds its tables for characters when it meets them first."""
    with open(__file__, encoding="utf-8") as file:
        return file.read() + "".join(map(chr, (*range(32, 0x250), *range(0x370, 0x530), 0x3042, 0x4E2D, 0x1F642))) * 2


def answer_call(root: click.Command, call: dict[str, Any], report_session: Callable[[], None]) -> int:
    """Return the status of a call; descriptors 0, 1 and 2 are its files.

    ``report_session`` is called before the call uses a session.
    """
    sessions.watch_sessions(report_session)
    caller = read_caller(call["directory"], call["variables"], is_local=True)
    run = partial(_answer_engine, call) if "work" in call else partial(run_command, root, call["arguments"])
    sys.argv = ["ctxkit", *call.get("arguments", ())]
    return call_process.run_for_caller(caller, lambda: run_for_status(run))


def _answer_engine(call: dict[str, Any]) -> Exit:
    """Write a count or a map that another process asks for; raise UsageError for anything else."""
    works = {"count": _count_text, "map": _make_map}
    if call["work"] not in works:
        raise UsageError(f"unknown work {call['work'][:80]!r}")
    out.write_json(works[call["work"]](call["parameters"], b"".join(source.chunks("-"))))
    return Exit.DONE


def _count_text(parameters: dict[str, str], body: bytes) -> dict[str, Any]:
    from ctxkit.engines import tokens

    count = tokens.load_tokenizer(_read_vocabulary(parameters.get("vocabulary", "")))
    return {"tokens": count(body.decode("utf-8", "surrogatepass"))}


def _read_vocabulary(name: str) -> Any:
    from ctxkit.core.tokens.vocabulary import VOCABULARIES

    vocabulary = VOCABULARIES.get(name)
    if vocabulary is None or not vocabulary.exact or vocabulary.file:
        raise UsageError(f"{name[:80]!r} is not a vocabulary of ctxkit")
    return vocabulary


def _make_map(parameters: dict[str, str], body: bytes) -> dict[str, Any]:
    """Return the map of stored content within a target, as a tuple."""
    import orjson

    from ctxkit.app.services import engines
    from ctxkit.app.services.stores import open_store
    from ctxkit.core.gate import briefing, briefing_messages
    from ctxkit.core.tokens.token_count import TokenCount

    order = orjson.loads(body)
    vocabulary = _read_vocabulary(parameters.get("vocabulary", ""))
    known = TokenCount(*order["known"]) if order["known"] else None
    config = settings.load_for_filter()
    services = engines.gate_services(config)
    result = briefing.make_isolated_briefing(
        open_store(config).open(parameters.get("ref", "")),
        briefing_messages.request_from_tuple(order["request"]),
        briefing.BriefingServices(vocabulary, services.tokenizer(vocabulary), services.parse, services.isolate),
        known,
        strict=True,
    )
    return {"map": briefing_messages.to_tuple(result)}
