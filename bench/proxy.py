"""ctxkit proxy: requests of joined sessions at small and large windows, its latency, and its memory.

    python -m bench proxy [--quick] [--part API|tools|turn|cost]

Sessions of the corpora are joined to conversations of 400 turns, and each request of such a conversation goes through a
real proxy to a server that keeps what it gets. Tokens are counted exactly where the vocabulary is public, else by the
upper bound; whether a request is valid, the rules of this bench, the types of the SDKs and ``compact --check`` decide.
"""

import http.client
import json
import os
import re
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from math import ceil
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple

from bench.compact.facts import fold, is_known
from bench.compact.said import Said, strings
from bench.compact.sessions import Session, sessions
from bench.compact.shapes import SHAPES, Turn, turns
from bench.compact.sound import breaches
from bench.endless import Feeder, Tally, count_common, list_demanded, make_call
from bench.figure import Figure, ms
from bench.place import Place
from bench.sdk_types import find_refusal
from bench.servers import await_answer, find_port, list_processes, read_memory

SUITE = "proxy"
TURNS, QUICK_TURNS = 400, 120
WINDOWS = {
    "openai": (4_096, 16_384, 32_768, 200_000),
    "responses": (4_096, 16_384, 32_768, 200_000),
    "anthropic": (4_096, 16_384, 32_768, 200_000),
    "gemini": (4_096, 16_384, 32_768, 200_000),
    "ollama": (4_096, 16_384),
}
PATHS = {
    "openai": "/v1/chat/completions",
    "responses": "/v1/responses",
    "anthropic": "/v1/messages",
    "gemini": "/v1beta/models/gemini-2.5-pro:generateContent",
    "ollama": "/api/chat",
}
MODELS = {"anthropic": "claude-sonnet-4-5", "gemini": "gemini-2.5-pro"}
LISTS = {"responses": "input", "gemini": "contents", **dict.fromkeys(("openai", "anthropic", "ollama"), "messages")}
COST, TOOLS, TURN = "cost", "tools", "turn"
"""Parts of a run: latency and memory alone, conversations with the definitions of a real MCP server, and the same
conversations through ``ctxkit turn``.
"""
TURN_WINDOWS = (4_096, 16_384)
TOOLS_WINDOW, TOOLS_COUNT = 32_768, 60
"""A window, and the number of definitions of a large server, which take more than half of it by Claude's estimate."""
PREFIX, FACTS, FACTS_WINDOW = 0.85, 0.95, 32_768
"""Targets, those of the endless session, which has no smaller window."""
P50, P99, LATENCY_BYTES, LATENCY_TIMES = 0.015, 0.040, 200_000, 300
IDLE, CONVERSATION, CONVERSATIONS, CONVERSATION_BYTES = 150_000_000, 5_000_000, 5, 800_000
TURN_BYTES = 1_840
LATENCY_ARGUMENTS = ("--window", "1000000", "--tokenizer", "qwen3", "-j", "1")


class Joined(NamedTuple):
    """Sessions that follow one another: their turns, and where the rows of each end."""

    turns: Sequence[Turn]
    ends: Sequence[tuple[int, Sequence[Said]]]


def figures(place: Place) -> Iterator[Figure]:
    """Yield the figures of each API at each window, then latency and memory."""
    joined = _join([session for session in sessions(place) if session.turns], QUICK_TURNS if place.quick else TURNS)
    for api in (place.part,) if place.part else WINDOWS:
        for window in WINDOWS.get(api, ()):
            yield from _replay(place, api, window, joined)
    if place.part in ("", TOOLS):
        yield from _replay_tools(place)
    if place.part in ("", TURN):
        for window in TURN_WINDOWS:
            yield from _feed_turns(place, window, joined)
    if place.part in ("", COST):
        yield from _measure_latency(place)
        yield from _measure_memory(place)


def _join(all_sessions: Sequence[Session], most: int) -> Joined:
    """Return the sessions one after another, in so many turns; calls have ids of their own."""
    joined: list[Turn] = []
    ends: list[tuple[int, Sequence[Said]]] = []
    for number, session in enumerate(all_sessions):
        task = [turn for turn in turns(session.rows) if turn.role != "system" or not joined]
        if len(joined) + len(task) > most:
            continue
        joined += [_rename(turn, number) for turn in task]
        ends.append((len(joined), session.rows))
    return Joined(joined, ends)


def _rename(turn: Turn, number: int) -> Turn:
    return replace(turn, pairs=tuple((replace(did, id=f"s{number}_{did.id}"), text) for did, text in turn.pairs))


def _shape(api: str, all_turns: Sequence[Turn]) -> dict[str, Any]:
    """Return the request of an API with a conversation, whose list of messages stands last."""
    value = SHAPES["openai" if api == "ollama" else api](all_turns)
    request = value if isinstance(value, dict) else {LISTS[api]: value}
    if api == "ollama":
        request = {LISTS[api]: [_strip_ids(message) for message in value]}
    model = {} if api == "gemini" else {"model": MODELS.get(api, "m")}
    rest = {key: member for key, member in request.items() if key != LISTS[api]}
    return {**model, **rest, LISTS[api]: request[LISTS[api]]}


def _strip_ids(message: dict[str, Any]) -> dict[str, Any]:
    """Return a message as Ollama has it: calls have no ids, and arguments are objects."""
    if message["role"] == "tool":
        return {"role": "tool", "content": message["content"]}
    if "tool_calls" not in message:
        return message
    calls = [call["function"] for call in message["tool_calls"]]
    functions = [{"function": {"name": call["name"], "arguments": json.loads(call["arguments"])}} for call in calls]
    return {**message, "tool_calls": functions}


class _Keeper(BaseHTTPRequestHandler):
    """Keeps the last request of its server, and answers it with nothing much."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1  # an answer in two packets waits for an acknowledgement
    server: Any

    def do_POST(self) -> None:
        """Keep a request."""
        self.server.kept = self.rfile.read(int(self.headers.get("content-length", 0)))
        self.send_response(200)
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_: Any) -> None:
        """Log nothing."""


@contextmanager
def _keep() -> Iterator[Any]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Keeper)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def _proxy(place: Place, upstream: Any, *arguments: str) -> Iterator[tuple[int, int]]:
    """Run a proxy, and yield its port and its process."""
    port = find_port()
    url = f"http://127.0.0.1:{upstream.server_address[1]}"
    command = [*place.ctxkit, "proxy", "--upstream", url, "--port", str(port), "-q", *arguments]
    with subprocess.Popen(command) as process:
        try:
            await_answer(partial(_check_health, port))
            yield port, process.pid
        finally:
            process.terminate()


def _check_health(port: int) -> None:
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=10)) as connection:
        connection.request("GET", "/health")
        connection.getresponse().read()


def _post(connection: http.client.HTTPConnection, path: str, body: bytes) -> int:
    connection.request("POST", path, body, {"content-type": "application/json"})
    response = connection.getresponse()
    response.read()
    return response.status


def _replay_tools(place: Place) -> Iterator[Figure]:
    """Yield the figures of conversations with the definitions of a real MCP server, short, and deferred by --inject."""
    from ctxkit.core.proxy.functions import SHAPES as DEFINITION_SHAPES
    from ctxkit.core.tools.builtin import dump_tool, join_definitions
    from ctxkit.core.tools.catalog import read_catalog

    paths = place.inputs("tools")
    tools = [item.tool for path in paths for item in read_catalog(place.data(path), path).definitions]
    joined = _join([session for session in sessions(place) if session.turns], QUICK_TURNS)
    for api, shape in DEFINITION_SHAPES.items() if tools else ():
        texts = [dump_tool(tool, shape) for tool in tools[:TOOLS_COUNT]]
        if api == "gemini":  # a schema of JSON has a member of its own there
            texts = [text.replace('"parameters":', '"parametersJsonSchema":', 1) for text in texts]
        definitions = json.loads(join_definitions(texts, shape))
        for arguments in ((), ("--inject",)):
            yield from _replay(place, api, TOOLS_WINDOW, joined, definitions, arguments)


def _replay(
    place: Place, api: str, window: int, joined: Joined, tools: Sequence[Any] = (), options: Sequence[str] = ()
) -> Iterator[Figure]:
    """Send each request of a conversation, and look at what the upstream gets."""
    count = _make_counter(api)
    over, invalid, refused = list[str](), list[str](), list[str]()
    lost, total_facts, shared, size, earlier, sent = list[str](), 0, 0, 0, 0, 0
    before = b""
    arguments = ["--window", str(window), *([] if api in MODELS else ["--tokenizer", "qwen3"]), *options]
    head = {"tools": list(tools)} if tools else {}
    ends = dict(joined.ends)
    with _keep() as upstream, _proxy(place, upstream, *arguments) as (port, _):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
        for at in _find_requests(joined.turns):
            request = {**head, **_shape(api, joined.turns[:at])}
            body = _dump(request)
            if _post(connection, PATHS[api], body) != 200:
                refused.append(f"turn {at}")
                continue
            content, sent = upstream.kept, sent + 1
            tokens = count(content)
            over += [f"turn {at}: {tokens:,}"] if tokens > window else []
            wrong = _find_breaches(api, content)
            if wrong and not _find_breaches(api, body):  # what was invalid when it came may stay so
                invalid.append(f"turn {at}: {wrong[0]}")
            prompt = _drop_output_limit(content)
            shared += count_common(before, prompt) if before else 0
            size += len(prompt) if before else 0
            earlier += len(before)
            before = prompt
            if at in ends:
                known, missing = _look_for_facts(ends[at], body, content, window)
                total_facts += known + len(missing)
                lost += [f"turn {at}: {fact}" for fact in missing]
        connection.close()
    name = f"{api}{' with tools' if tools else ''}{f', {options[0]}' if options else ''}"
    of = f"of {sent:,}, {name}, window {window:,}"
    if tools and before:
        size_before, size_after = (count(_take_tools(api, data)) for data in (body, content))
        yield Figure(SUITE, f"tokens of the definitions, last {of}", f"{size_before:,} -> {size_after:,}")
    for what, places in (("over the window", over), ("made invalid", invalid), ("refused as too long", refused)):
        target, ok = ("", None) if places is refused else ("0", not places)
        yield Figure(SUITE, f"requests {what}, {of}", str(len(places)), None, target, ok, places[:5])
    share = shared / max(earlier, 1)
    what = f"share of a request with which the next one begins, {name}, window {window:,}"
    figure = f"{share:.3f}; {shared / max(size, 1):.3f} of the next one"
    yield Figure(SUITE, what, figure, share, f">= {PREFIX}", share >= PREFIX)
    good = 1 - len(lost) / max(total_facts, 1)
    what = f"facts of the current task kept, {name}, window {window:,}"
    is_aim = window >= FACTS_WINDOW and not tools
    target, ok = (f">= {FACTS}", good >= FACTS) if is_aim else ("", None)
    yield Figure(SUITE, what, f"{good:.3f} of {total_facts}", None, target, ok, lost[:5])


def _feed_turns(place: Place, window: int, joined: Joined) -> Iterator[Figure]:
    """Feed a conversation to ``ctxkit turn``, and look for the same facts at the same places."""
    from ctxkit.edge.prompts import TurnOptions

    tally = Tally(window)
    feeder = Feeder(make_call(place, window, "qwen3", "joined"), TurnOptions(provider="openai"), tally)
    asks, ends = set(_find_requests(joined.turns)), dict(joined.ends)
    for at in range(len(joined.turns) + 1):
        if at in asks:
            text = feeder.ask(f"turn {at}", again=True)
            if at in ends:
                feeder.look_for_facts(f"turn {at}", ends[at], joined.turns[:at], text)
        for turn in joined.turns[at : at + 1]:
            feeder.take(turn)
    what, places = f"ctxkit turn, window {window:,}", tally.blocked
    yield Figure(SUITE, f"requests not sent, of {len(asks):,}, {what}", str(len(places)), notes=places[:5])
    share = tally.cached / max(tally.earlier, 1)
    yield Figure(SUITE, f"share of a request with which the next one begins, {what}", f"{share:.3f}")
    lost = [f"{name}: {fact.kind}: {fact.ways[0][:80]}" for name, fact, is_kept in tally.facts if not is_kept]
    kept = 1 - len(lost) / max(len(tally.facts), 1)
    yield Figure(SUITE, f"facts of the current task kept, {what}", f"{kept:.3f} of {len(tally.facts)}", notes=lost[:5])


def _dump(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")


def _drop_output_limit(content: bytes) -> bytes:
    """Return a request without the limit of its answer, which a prompt cache does not look at."""
    return re.sub(rb'"max_tokens": ?\d+, ?', b"", content, count=1)


def _take_tools(api: str, content: bytes) -> bytes:
    """Return a request with its definitions alone."""
    return json.dumps({"tools": json.loads(content)["tools"], LISTS[api]: []}).encode()


def _find_requests(all_turns: Sequence[Turn]) -> list[int]:
    """Return the numbers of turns after which an agent asks its model: before each answer, and at the end."""
    asks = [at for at in range(1, len(all_turns)) if all_turns[at].role == "assistant"]
    return [*asks, len(all_turns)]


def _make_counter(api: str) -> Callable[[bytes], int]:
    """Return a function that returns the most tokens of a request."""
    from ctxkit.app.services import engines
    from ctxkit.core.chat.reading.format_registry import get_format
    from ctxkit.core.count.amount import CountOptions
    from ctxkit.core.count.conversation import count_entries, make_cached_counter
    from ctxkit.edge.request import CliRequest
    from ctxkit.edge.settings import load

    format_ = get_format("openai" if api == "ollama" else api)
    settings = load({}, os.getcwd())
    request = CliRequest(model=MODELS[api]) if api in MODELS else CliRequest(tokenizer="qwen3")
    options: CountOptions = engines.make_count_options(request, settings)
    counter = make_cached_counter(format_, options)

    def count(content: bytes) -> int:
        return count_entries(format_.read_entries(json.loads(content)), format_, options, counter).amount.high

    return count


def _find_breaches(api: str, content: bytes) -> list[str]:
    """Return what is wrong with a request, by this bench, by the types of its SDK, and by ``compact --check``."""
    from ctxkit.core.chat.branches import find_active_path
    from ctxkit.core.chat.reading.format_registry import get_format
    from ctxkit.core.chat.reading.transcript import parse_transcript
    from ctxkit.core.chat.validity.invariants import find_breaches
    from ctxkit.core.chat.validity.request_limits import find_limit_breaches

    value = json.loads(content)
    shape = "openai" if api == "ollama" else api
    own = [] if api == "ollama" else breaches(shape, value if api in ("anthropic", "gemini") else value[LISTS[api]])
    transcript = parse_transcript(content, "sent", get_format(shape))
    path = find_active_path(transcript)
    checked = (*find_breaches(transcript, path), *find_limit_breaches(transcript, path))
    refusal = find_refusal(api, value)
    return [*own, *filter(None, [refusal]), *(breach.message for breach in checked)]


def _look_for_facts(rows: Sequence[Said], fed: bytes, content: bytes, window: int) -> tuple[int, list[str]]:
    """Return how many facts of a task its last request has, and those that it lost."""
    before, after = ("\n".join(strings(json.loads(data))) for data in (fed, content))
    demanded, known = list(list_demanded(rows, before, window)), fold(after)
    missing = [f"{fact.kind}: {fact.ways[0][:80]}" for fact in demanded if not is_known(fact, known)]
    return len(demanded) - len(missing), missing


def _measure_latency(place: Place) -> Iterator[Figure]:
    """Yield what the proxy adds to requests that need nothing: those of a conversation of 200 KB that grows."""
    times = place.times(LATENCY_TIMES)
    bodies = [_make_growing(LATENCY_BYTES, number) for number in range(times)]
    with _keep() as upstream, _proxy(place, upstream, *LATENCY_ARGUMENTS) as (port, pid):
        direct = http.client.HTTPConnection("127.0.0.1", upstream.server_address[1], timeout=60)
        proxied = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        cold = _time(partial(_post, proxied, PATHS["openai"], bodies[0])) - _time(
            partial(_post, direct, PATHS["openai"], bodies[0])
        )
        before = _read_cpu(pid)
        added = sorted(_time_pair(direct, proxied, body) for body in bodies)
        cpu = (_read_cpu(pid) - before) / times
        assert upstream.kept == bodies[-1]
    size = f"{len(bodies[0]) / 1000:.0f} KB"
    middle, slow = median(added), added[ceil(len(added) * 0.99) - 1]
    what = f"added latency of a request that needs nothing, {size}"
    yield Figure(SUITE, f"{what}, p50", ms(middle), None, f"<= {ms(P50)}", middle <= P50)
    yield Figure(SUITE, f"{what}, p99", ms(slow), None, f"<= {ms(P99)}", slow <= P99)
    yield Figure(SUITE, f"processor time of such a request, {size}", ms(cpu))
    yield Figure(SUITE, f"added latency of the first request of a proxy, {size}", ms(cold))


def _time(act: Callable[[], object]) -> float:
    start = perf_counter()
    act()
    return perf_counter() - start


def _time_pair(direct: http.client.HTTPConnection, proxied: http.client.HTTPConnection, body: bytes) -> float:
    plain = _time(partial(_post, direct, PATHS["openai"], body))
    return _time(partial(_post, proxied, PATHS["openai"], body)) - plain


def _make_growing(size: int, extra: int, seed: str = "") -> bytes:
    """Return a conversation of so many bytes, and some turns more."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": f"Find the bug. {seed}"}]
    for number in range(size // TURN_BYTES + extra):
        function = {"name": "bash", "arguments": json.dumps({"command": f"cat src/file_{number}.py"})}
        calls = [{"id": f"c{number}", "type": "function", "function": function}]
        messages.append({"role": "assistant", "content": "", "tool_calls": calls})
        lines = (f"def function_{number}_{line}{seed}(value): return value * {line}" for line in range(36))
        text = "\n".join(lines)[: 2_000 if number * TURN_BYTES < size else 100]
        messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": text})
    return json.dumps({"model": "m", "messages": messages}).encode()


def _measure_memory(place: Place) -> Iterator[Figure]:
    """Yield the memory of an idle proxy, and what each of several conversations of 200,000 tokens adds."""
    with _keep() as upstream, _proxy(place, upstream, *LATENCY_ARGUMENTS) as (port, pid):
        idle = read_memory(pid)
        yield Figure(SUITE, "idle memory", f"{idle / 1e6:.0f} MB", None, "<= 150 MB", idle <= IDLE)
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
        first = 0
        for number in range(CONVERSATIONS + 1):
            _post(connection, PATHS["openai"], _make_growing(CONVERSATION_BYTES, 0, f"conversation_{number}"))
            first = first or read_memory(pid)
        each = (read_memory(pid) - first) / CONVERSATIONS
        connection.close()
    yield Figure(SUITE, f"memory after one conversation of {CONVERSATION_BYTES / 1e6:g} MB", f"{first / 1e6:.0f} MB")
    what = f"memory for each further conversation of {CONVERSATION_BYTES / 1e6:g} MB"
    yield Figure(SUITE, what, f"{each / 1e6:.1f} MB", None, "<= 5 MB", each <= CONVERSATION)


def _read_cpu(process: int) -> float:
    """Return the seconds of processor time of a proxy and its processes."""
    ticks = 0
    for number in list_processes(process):
        with open(f"/proc/{number}/stat") as file:
            fields = file.read().rpartition(") ")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")
