"""Connect core to the engines that the settings select, each loaded on first use."""

from __future__ import annotations

import itertools
import os
from functools import partial
from typing import TYPE_CHECKING, Any

from ctxkit.edge import say

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ctxkit.app.services.remote_engine import RemoteEngine
    from ctxkit.core.brief.document import Definition
    from ctxkit.core.count.amount import CountOptions
    from ctxkit.core.gate.decision import GateServices
    from ctxkit.core.lint.document.workspace import Workspace
    from ctxkit.core.lint.loading.assemble import WorkspaceOptions
    from ctxkit.core.session.account import SessionReservation
    from ctxkit.core.store.store_interface import Store
    from ctxkit.core.text.limits import WorkerValue
    from ctxkit.core.text.shell_commands import Pipeline, ShellCommand
    from ctxkit.core.tokens.vocabulary import Tokenizer, Vocabulary
    from ctxkit.core.tools.search import ToolText
    from ctxkit.edge.request import CliRequest
    from ctxkit.edge.settings import Settings
    from ctxkit.engines.index import ToolIndex


def gate_services(
    settings: Settings,
    *,
    store: bool = True,
    reservation: SessionReservation | None = None,
    asks_server: bool = True,
) -> GateServices:
    """Return the gate's services: tokenizer, store (unless disabled), parser and reservation.

    A process with much to gate loads a vocabulary once, and asks no server (``asks_server``).
    """
    from ctxkit.core.gate.decision import GateServices

    is_stored = store and settings["store"]
    load = partial(load_tokenizer, counts_much=not asks_server)
    engine = _find_engine(settings, load) if asks_server else None
    return GateServices(
        engine.tokenizer if engine else load,
        (lambda: _open_store(settings)) if is_stored else None,
        find_definitions,
        _isolate,
        reservation,
        engine.ask_for_map if engine else None,
    )


def _find_engine(settings: Settings, load: Callable[[Vocabulary], Tokenizer]) -> RemoteEngine | None:
    """Return the engine of the server, if one listens at the socket of the settings or at the usual one."""
    from ctxkit.edge import user_dirs

    server = settings["server"]
    path = server if isinstance(server, str) else user_dirs.socket_path()
    if not server or not os.path.exists(path):
        return None
    from ctxkit.app.services import remote_engine
    from ctxkit.edge.call_process import has_own_place

    if has_own_place(os.environ, settings):
        return None

    return remote_engine.find_engine(path, load)


def _open_store(settings: Settings) -> Store:
    from ctxkit.app.services.stores import open_store

    return open_store(settings)


def _isolate(work: Callable[[], WorkerValue], size: int) -> WorkerValue:
    from ctxkit.app.services import workers

    _prepare_second_map()
    return workers.isolate(work, size)


_map_counter = itertools.count()


def _prepare_second_map() -> None:
    """Import what maps need before the second one: each forked process would import it again."""
    if next(_map_counter) == 1:
        from ctxkit.core.brief import kind_detection

        kind_detection.all_kinds()


def load_tokenizer(vocabulary: Vocabulary, *, counts_much: bool = False) -> Tokenizer:
    """Return the tokenizer of a vocabulary; an estimate needs no engine.

    A process that ``counts_much`` loads the vocabulary at once; others use its compiled table for the first texts.
    """
    if vocabulary.rate:
        from ctxkit.core.tokens.vocabulary import rate_tokenizer

        return rate_tokenizer(vocabulary)
    if not vocabulary.exact:
        from ctxkit.core.tokens import estimate

        return estimate.likely_tokenizer(vocabulary)
    from ctxkit.engines import tokens

    return tokens.load_tokenizer(vocabulary, "" if counts_much else find_table_directory())


def find_table_directory() -> str:
    """Return the directory whose subdirectory has the compiled tables of vocabularies."""
    from ctxkit.edge import user_dirs

    return user_dirs.cache_dir()


def make_upper_bound(vocabulary: Vocabulary) -> Tokenizer:
    """Return a tokenizer that gives the maximum tokens of a text: the upper end of an estimate."""
    from ctxkit.core.tokens.token_count import upper_bound_tokenizer

    return upper_bound_tokenizer(load_tokenizer(vocabulary, counts_much=True), vocabulary)


def make_count_options(request: CliRequest, settings: Settings, default: str = "o200k") -> CountOptions:
    """Return the options for counting conversations, with the ``default`` vocabulary if none is named.

    If the vocabulary is not installed, estimate with a warning. If the call is strict, raise MissingDependencyError
    instead.
    """
    from ctxkit.core.count.amount import CountOptions
    from ctxkit.core.errors import MissingDependencyError
    from ctxkit.core.tokens.vocabulary import find_vocabulary

    is_named = bool(request.model_name(settings) or request.tokenizer or settings["tokenizer"])
    vocabulary = request.vocabulary(settings) if is_named else find_vocabulary(default)
    try:
        count = load_tokenizer(vocabulary)
    except MissingDependencyError as error:
        if request.strict or settings["strict"]:
            raise
        say.warn(f"tokens are estimated: {error}")
        vocabulary = find_vocabulary("estimate")
        count = load_tokenizer(vocabulary)
    return CountOptions(
        vocabulary, count, parse_json, "" if request.tokenizer else request.model_name(settings), is_named
    )


def parse_json(text: bytes) -> Any:
    """Return the value of a JSON text; raise ValueError if it is invalid."""
    from ctxkit.engines import decoder

    return decoder.parse(text)


def find_definitions(data: bytes, language: str) -> Sequence[Definition] | None:
    """Return the definitions in source code, or None if it cannot be parsed."""
    from ctxkit.engines import syntax

    return syntax.find_definitions(data, language)


def parse_script(script: str) -> list[ShellCommand] | None:
    """Return the commands of a script at any depth, None if it cannot be parsed."""
    from ctxkit.engines.grammars import list_script_commands

    return list_script_commands(script)


def list_comments(script: str) -> list[str]:
    """Return the comments of a script."""
    from ctxkit.engines.grammars import list_script_comments

    return list_script_comments(script)


def list_pipelines(script: str) -> list[Pipeline]:
    """Return the pipelines of the top level of a script."""
    from ctxkit.engines import grammars

    return grammars.list_pipelines(script)


def tool_index(texts: Sequence[ToolText]) -> ToolIndex:
    """Return the index of tool definitions."""
    from ctxkit.engines.index import ToolIndex

    return ToolIndex(texts)


def gather_workspace(root: str, tokens: Tokenizer, options: WorkspaceOptions, files: tuple[str, ...]) -> Workspace:
    """Return the workspace of a directory, including the ``files`` named by the user."""
    from ctxkit.edge import source
    from ctxkit.edge.progress import ReadProgress
    from ctxkit.engines.workspace.files import ReadReports, read_workspace

    ticker = ReadProgress(root)

    def report_read(size: int) -> None:
        """Count the bytes that were read."""
        ticker(size)
        source.report_read(size)

    try:
        return read_workspace(root, tokens, options, files, ReadReports(read=report_read, warn=say.warn))
    finally:
        ticker.clear()


def tidy_store(settings: Settings, ref: str) -> None:
    """Let the store collect old content after something was stored; call it after the output."""
    if not ref:
        return

    def read_limits() -> tuple[float, int]:
        """Return the limits of the settings, which few calls need."""
        from ctxkit.core.text.quantity import parse_duration, parse_size

        return parse_duration(settings["cache_max_age"]), parse_size(settings["cache_max_size"])

    _open_store(settings).tidy(read_limits, ref)
