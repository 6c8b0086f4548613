"""ctxkit serve."""

import os
import re
import signal
import socket
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from importlib.resources import files
from xml.sax.saxutils import escape

import click

from ctxkit import __version__
from ctxkit.core.errors import CtxkitError, Exit, MissingDependencyError, UsageError
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.serve import RequestRecord, format_record
from ctxkit.edge import options, out, say, settings, user_dirs
from ctxkit.edge.command_group import Verb
from ctxkit.edge.option_types import make_duration_type, option, renamed_option

_BARE = re.compile(r"[\w./+@:,=-]+", re.ASCII)
"""A path that systemd reads as it is."""


class _Unit(NamedTuple):
    file: str
    quote: Callable[[str], str]


def _quote_for_systemd(path: str) -> str:
    """Return the path of a program as one word of ExecStart (systemd.service(5))."""
    text = path.replace("%", "%%")
    if _BARE.fullmatch(path):
        return text
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


_UNITS = {
    "systemd": _Unit("ctxkit.service", _quote_for_systemd),
    "systemd-socket": _Unit("ctxkit.socket", str),
    "launchd": _Unit("org.ctxkit.serve.plist", escape),
}
UNITS = tuple(_UNITS)
"""The names of the files."""
CALL_SECONDS = 120.0
"""Seconds after which a call has no answer."""
_DEFAULT_VOCABULARY = "o200k"
DAY = 86_400
_TOKENIZER_HELP = "Load this tokenizer; may be repeated.  [default: o200k]"


class ListenOptions(NamedTuple):
    """The socket and the address to listen on, and the file with the token of those who call over the network."""

    path: str | None
    address: str | None
    token_file: str | None


@click.command("serve", cls=Verb)
@option("--socket", "path", metavar="PATH", help="Listen on this Unix socket.  [default: in XDG_RUNTIME_DIR]")
@option("--listen", "address", metavar="HOST:PORT", help="Listen on the network too; needs --token-file.")
@option("--token-file", metavar="FILE", help="File with the token that requests over the network carry.")
@options.make_jobs_option("Answer N requests at a time.")
@renamed_option(
    "--preload", "tokenizer", metavar="NAME", multiple=True, renamed_from=("--tokenizer",), help=_TOKENIZER_HELP
)
@option(
    *("--print-unit", "unit"),
    type=click.Choice(UNITS),
    metavar="NAME",
    help="Print a file for a service manager: systemd, systemd-socket or launchd.",
)
@option("--idle", type=make_duration_type(1, DAY), metavar="DURATION", help="End after this time without a request.")
@options.collect_values(ListenOptions, "listen")
def command(
    listen: ListenOptions, jobs: int | None, tokenizer: tuple[str, ...], unit: str | None, idle: int | None
) -> Exit:
    """Answer commands over a Unix socket, with vocabularies in memory.

    Answers take milliseconds, because the server has loaded vocabularies and grammars once.
    A request is HTTP: the content is the body, the options are parameters, and the answer is
    the JSON of --json. The endpoints are /v1/count, gate, brief, cache/get, compact, budget
    and session. Only processes of the same user are answered, each for its own directory and
    settings. While the server listens, ctxkit gate, run, shell, hook and mcp ask it for
    counts and maps; without it, they do the work themselves. /metrics has counts for Prometheus;
    -v logs each request. SIGTERM ends the server once it has answered the requests that run.

    \b
    $ ctxkit serve --socket ./ctxkit.sock --idle 1
    $ ctxkit serve --print-unit systemd

    \b
    In another shell, with the server at its default place:
      seq 9 | curl -s --unix-socket "$XDG_RUNTIME_DIR/ctxkit.sock" \\
        --data-binary @- 'http://ctxkit/v1/gate?model=qwen3-30b'
    """
    if unit is not None:
        return _print_unit(unit)
    _check_platform()
    token = _read_token(listen.token_file, listen.address)
    from ctxkit.engines.server.http_server import identify_file, remove_listener

    config = settings.load()
    vocabularies = tuple(map(_check_vocabulary, tokenizer)) or (_DEFAULT_VOCABULARY, *_find_vocabulary(config))
    listeners, place = _open_listeners(listen.path, listen.address, token)
    identity = identify_file(place)
    try:
        terms = ServerTerms(token, vocabularies, jobs or len(os.sched_getaffinity(0)), idle or 0)
        number = _serve(listeners, place, terms)
    finally:
        for entry in listeners:
            entry.close()
        if place:
            remove_listener(place, identity)
    return Exit.INTERRUPTED if number == signal.SIGINT else Exit.DONE


def _print_unit(name: str) -> Exit:
    from ctxkit.edge.host_setup import find_own_path

    out.write_text(make_unit(name, find_own_path()))
    return Exit.DONE


def _check_platform() -> None:
    if not hasattr(os, "fork") or not hasattr(socket, "AF_UNIX"):
        raise MissingDependencyError("serve needs a system with fork and Unix sockets")
    try:
        import uvicorn  # noqa: F401 (its absence must be known before the vocabularies are loaded)
    except ImportError as error:
        from ctxkit.system.installation import install_command

        raise MissingDependencyError("serve needs uvicorn", hint=install_command("uvicorn")) from error


def _read_token(token_file: str | None, address: str | None) -> str:
    """Return the token for requests over the network, "" without an address."""
    if (token_file is None) != (address is None):
        raise UsageError("--listen and --token-file go together")
    if token_file is None:
        return ""
    from ctxkit.edge.call_process import read_token

    return read_token(token_file)


def _check_vocabulary(name: str) -> str:
    """Return the name of an exact vocabulary; raise UsageError for a file, an estimate or an unknown name."""
    from ctxkit.edge.option_values import vocabulary_of

    vocabulary = vocabulary_of(name)
    if not vocabulary.exact or vocabulary.file:
        raise UsageError(f"--preload: {name} is not a vocabulary that can be loaded", hint="as in o200k or qwen3")
    return vocabulary.name


def _find_vocabulary(config: settings.Settings) -> tuple[str, ...]:
    """Return the exact vocabulary of the user's model, if there is one."""
    from ctxkit.edge.request import CliRequest

    try:
        vocabulary = CliRequest().vocabulary(config)
    except CtxkitError:
        return ()
    return (vocabulary.name,) if vocabulary.exact and not vocabulary.file else ()


def _open_listeners(path: str | None, address: str | None, token: str) -> tuple[list[socket.socket], str]:
    """Return the sockets to listen on, and the path of the one that this process made."""
    from ctxkit.engines.server import http_server

    inherited = http_server.take_inherited_listeners(os.environ, os.getpid())
    if any(entry.family != socket.AF_UNIX for entry in inherited) and not token:
        raise UsageError("a socket of the network needs --token-file")
    place = "" if inherited and path is None else path or _default_path()
    listeners = [*inherited, *([http_server.open_unix_listener(place)] if place else [])]
    if address:
        listeners.append(http_server.open_network_listener(address))
    return listeners, place


def _default_path() -> str:
    """Return the default path of the socket, in a directory that exists and that only this user can enter."""
    from ctxkit.app.services.stores import make_private_dir

    path = user_dirs.socket_path()
    if os.path.dirname(path) == user_dirs.private_dir():
        make_private_dir(user_dirs.private_dir())
    return path


class ServerTerms(NamedTuple):
    """The token of callers, the vocabularies to load, the number of workers, and the seconds until an idle end."""

    token: str
    vocabularies: tuple[str, ...]
    jobs: int
    idle: int


def _serve(listeners: list[socket.socket], place: str, terms: ServerTerms) -> int:
    from ctxkit.app import server
    from ctxkit.app.services import remote_engine
    from ctxkit.edge.trusted_dirs import trust_nothing
    from ctxkit.engines.server.application import Application
    from ctxkit.engines.server.http_server import serve_application
    from ctxkit.engines.server.worker_pool import WorkerPool

    remote_engine.disable()
    trust_nothing()
    server.load_for_calls(terms.vocabularies)
    root = click.get_current_context().find_root().command
    answer = partial(server.answer_call, root)
    pool = WorkerPool(answer, terms.jobs, CALL_SECONDS)
    report = _log_request if say.is_verbose() else None
    application = Application(pool, terms.token, __version__, remote_engine.name_build(), report)
    try:
        return serve_application(
            application, listeners, lambda: say.inform(f"listens on {place or 'the given socket'}"), terms.idle
        )
    finally:
        pool.end()


def _log_request(record: RequestRecord) -> None:
    """Print a line for a request, with the time of its answer in UTC."""
    time = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    say.write(f"ctxkit: {format_record(record, time)}")


def make_unit(name: str, program: str) -> str:
    """Return the text of a file, in which ``program`` is the path of ctxkit."""
    unit = _UNITS[name]
    text = files("ctxkit").joinpath("data", "units", unit.file).read_text(encoding="utf-8")
    return text.replace("{ctxkit}", unit.quote(program))
