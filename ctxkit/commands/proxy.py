"""ctxkit proxy."""

import os
import signal
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click

from ctxkit import __version__
from ctxkit.core.errors import Exit, MissingDependencyError, UsageError
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.serve import RequestRecord, format_record
from ctxkit.edge import options, say, settings
from ctxkit.edge.command_group import Verb
from ctxkit.edge.option_types import make_duration_type, make_number_type, option
from ctxkit.edge.prompts import TurnOptions
from ctxkit.edge.request import Call, CliRequest

if TYPE_CHECKING:
    from ctxkit.engines.proxy.upstream import ProxyPolicy

PORT, HOST = 8900, "127.0.0.1"
CALL_SECONDS = 120.0
"""Seconds after which a request that is still being rewritten passes as it came."""
TIMEOUT, HOUR = 600, 3_600
"""Seconds to wait for a part of an answer, and the most that --timeout takes."""


def _check_upstream(_ctx: click.Context, _param: click.Parameter, url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise click.BadParameter("it is not an address such as http://127.0.0.1:8080/v1")
    return url


class PortOptions(NamedTuple):
    """The address to listen on, and the file with the token that requests carry."""

    port: int | None
    address: str | None
    token_file: str | None


class ForwardOptions(NamedTuple):
    """Where requests go and how long to wait for it, by how many processes they are rewritten, and how."""

    upstream: str
    timeout: int | None
    jobs: int | None
    injects: bool
    dry_run: bool


@click.command("proxy", cls=Verb)
@option(
    "--upstream", metavar="URL", required=True, callback=_check_upstream, help="Send requests to this server of models."
)
@option(
    *("--port",),
    type=make_number_type(1, 65_535),
    metavar="N",
    help=f"Listen on this port of 127.0.0.1.  [default: {PORT}]",
)
@option(
    "--listen", "address", metavar="HOST:PORT", help="Listen on this address; beyond this machine, needs --token-file."
)
@option("--token-file", metavar="FILE", help="File with the token that requests carry, in X-Ctxkit-Token or the path.")
@option(
    *("--timeout",),
    type=make_duration_type(1, HOUR),
    metavar="DURATION",
    help="Wait so long for the upstream.  [default: 10m]",
)
@options.make_jobs_option("Rewrite N requests at a time.")
@option("--pin", "pins", multiple=True, metavar="TEXT", help="Keep TEXT verbatim; may be repeated.")
@option("--summarizer", metavar="S", help="Summarizer: extract, llama[:FILE], http(s)://... or cmd:PROGRAM.")
@option(
    "--inject", "injects", is_flag=True, help="Add read_result and tool_search to requests, and answer their calls."
)
@option("--dry-run", is_flag=True, help="Pass requests unchanged, and log what would change.")
@options.add_proxy_options
@options.collect_values(TurnOptions, "turn_options")
@options.collect_values(PortOptions, "listen")
@options.collect_values(ForwardOptions, "forward")
def command(listen: PortOptions, forward: ForwardOptions, request: CliRequest, turn_options: TurnOptions) -> Exit:
    """Keep the requests of an agent within the window of its model.

    An agent whose base URL is this proxy needs no hooks and no plugin. Large tool results
    become maps, and a conversation that nears the window is compacted; the same beginning is
    sent in the same bytes each time, so that the provider's prompt cache stays warm. Read are
    OpenAI's Chat Completions and Responses, Anthropic's Messages, Gemini and Ollama; all else,
    and what fits, passes byte for byte. Streams pass as they come. /health, /metrics and
    /ref/REF?lines=A:B are the proxy's own. Without --window, it asks the upstream for it.

    \b
    $ ctxkit proxy --upstream http://127.0.0.1:8080/v1 --model qwen3-30b --window 16384

    \b
    In another shell:
      curl http://127.0.0.1:8900/v1/chat/completions -H 'content-type: application/json' \\
        -d '{"model": "qwen3-30b", "messages": [{"role": "user", "content": "hello"}]}'
    """
    token = _read_token(listen.token_file)
    place = _choose_address(listen.port, listen.address, token)
    _check_dependencies()
    call = Call(request, settings.load_for_filter(strict=request.strict))
    if forward.dry_run and request.redaction(call.settings).on:
        raise UsageError("--dry-run passes requests unchanged, and cannot be combined with redact")
    if forward.injects and not _stores_all(call):
        raise UsageError("--inject reads what is stored, and nothing is", hint="without --no-store and never_store")
    _check_request(call)
    return _serve(place, token, forward, call, turn_options)


def _stores_all(call: Call) -> bool:
    """Return whether content of any command may be stored."""
    return call.stores and not call.settings["never_store"]


def _read_token(token_file: str | None) -> str:
    if token_file is None:
        return ""
    from ctxkit.edge.call_process import read_token

    return read_token(token_file)


def _choose_address(port: int | None, address: str | None, token: str) -> str:
    """Return the address to listen on; raise UsageError for one beyond this machine without a token."""
    if address is None:
        return f"{HOST}:{port or PORT}"
    if port is not None:
        raise UsageError("--port and --listen cannot be combined")
    if not token and address.rpartition(":")[0] not in (HOST, "localhost", "[::1]", "::1"):
        hint = "--token-file FILE, with a token that requests carry"
        raise UsageError(f"{address} is open to other machines", hint=hint)
    return address


def _check_request(call: Call) -> None:
    """Raise UsageError for a model, a tokenizer, a reserve or a hint that no request could use."""
    request, config = call
    request.vocabulary(config)
    request.resolve_hint(config, "ctxkit", "")
    if request.known_window(config):
        request.budget(config)


def _check_dependencies() -> None:
    if not hasattr(os, "fork"):
        raise MissingDependencyError("proxy needs a system with fork")
    for module, package in (("uvicorn", "uvicorn"), ("starlette", "starlette"), ("httpx2", "httpx2")):
        try:
            __import__(module)
        except ImportError as error:
            from ctxkit.system.installation import install_command

            raise MissingDependencyError(f"proxy needs {package}", hint=install_command(package)) from error


def _serve(place: str, token: str, forward: ForwardOptions, call: Call, turn_options: TurnOptions) -> Exit:
    from ctxkit.app import server
    from ctxkit.app.proxy.calls import ProxyCalls
    from ctxkit.engines.proxy.application import ProxyApplication
    from ctxkit.engines.proxy.upstream import Upstream
    from ctxkit.engines.server.http_server import open_network_listener, serve_application
    from ctxkit.engines.server.worker_pool import WorkerPool

    request, config = call
    upstream = Upstream(forward.upstream, forward.timeout or TIMEOUT)
    listener = open_network_listener(place)
    vocabulary = request.vocabulary(config)
    server.load_for_calls((vocabulary.name,) if vocabulary.exact and not vocabulary.file else ())
    root = click.get_current_context().find_root().command
    calls = ProxyCalls(root, request, config, turn_options, injects=forward.injects)
    calls.warm_up()
    # memory alone has what processes compacted that store nothing
    jobs = (forward.jobs or len(os.sched_getaffinity(0))) if _stores_all(call) else 1
    pool = WorkerPool(calls.answer, jobs, CALL_SECONDS)
    application = ProxyApplication(pool, upstream, _make_policy(token, call, is_dry=forward.dry_run))
    try:
        number = serve_application(application, [listener], lambda: say.inform(f"listens on http://{place}"), 0)
    finally:
        pool.end()
        listener.close()
    return Exit.INTERRUPTED if number == signal.SIGINT else Exit.DONE


def _make_policy(token: str, call: Call, *, is_dry: bool) -> "ProxyPolicy":
    from ctxkit.engines.proxy.upstream import ProxyPolicy

    masks = call.request.redaction(call.settings).on
    return ProxyPolicy(
        token,
        __version__,
        is_closed=masks or bool(call.settings["never_store"]) or call.is_strict,
        masks=masks,
        is_dry=is_dry,
        asks_window=call.request.window is None,
        log=say.say,
        report=_log_request if say.is_verbose() else None,
    )


def _log_request(record: RequestRecord) -> None:
    """Print a line for a request, with the time of its answer in UTC."""
    time = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    say.write(f"ctxkit: {format_record(record, time)}")
