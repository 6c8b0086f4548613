"""ctxkit turn: its CPU time beside an exact count and beside ``import click``, and the prompt cache that it keeps."""

import json
import sys
from collections.abc import Iterator
from functools import partial
from itertools import pairwise

from bench.corpus import short_text
from bench.endless import count_common
from bench.figure import Figure, ms
from bench.place import Place
from bench.process import Run, Several, interleave, run

SUITE = "turn"
LARGE, SMALL = 200_000, 4_000
"""Tokens of the sessions, about: a message has four bytes a token."""
MESSAGE_BYTES = 4_000
COUNTS, IMPORTS = 2.0, 3.0
"""Times an exact count of the same bytes that a turn of the large session may take, and times ``import click`` plus the
load of the vocabulary that one of the small session may take."""
LOADING = "unusualwordhere and xqzyt"
"""Text whose count loads the whole vocabulary; splintr does not load it for a text that is one token."""
NEW = b'{"role": "user", "content": "and now?"}\n'
PREFIX_SHARE, PREFIX_WINDOW, PREFIX_TURNS = 0.85, 4_096, 24
"""Share of a request that continues the one before it, at least, in a session of so many turns in a small window."""
RESULT_BYTES = 500
PROVIDERS = ("openai", "anthropic", "gemini", "responses")
TOOLS = ("read", "search", "list", "write")
TOOL_TEXT = {
    "read": "Read a file of the project, or only some of its lines, and return it with line numbers.",
    "search": "Search all files of the project for a regular expression, and return the lines that match.",
    "list": "List the files below a directory with their sizes, the newest first.",
    "write": "Write a file of the project; the directory is created if it is missing.",
}


def figures(place: Place) -> Iterator[Figure]:
    """Yield the time of a turn over a large and over a small session, and the share of the cache for each provider."""
    yield _compare_large(place)
    yield _compare_small(place)
    for provider in PROVIDERS:
        yield _measure_prefix(place, provider)


def _measure_prefix(place: Place, provider: str) -> Figure:
    """Return the share of requests that is the beginning of the request before, in characters."""
    path = place.path("tools.json")
    members = {
        "path": {"type": "string", "description": "A path in the project, relative to its root, without a slash."},
        "lines": {"type": "string", "description": "A range of lines such as 10:20, counted from 1; all by default."},
        "encoding": {"type": "string", "description": "The encoding of the file, if it is another one than UTF-8."},
    }
    schema = {"type": "object", "properties": members, "required": ["path"]}
    tools = [{"name": name, "description": TOOL_TEXT[name], "inputSchema": schema} for name in TOOLS]
    with open(path, "w", encoding="utf-8") as file:
        json.dump(tools, file)
    session, requests = f"prefix-{provider}", []
    sizes = ("--window", str(PREFIX_WINDOW), "--tokenizer", "o200k")
    run([*place.ctxkit, "session", "new", session, *sizes])
    for number in range(PREFIX_TURNS):
        data = "".join(f"{json.dumps(message)}\n" for message in _make_turn(provider, number)).encode()
        argv = [*place.ctxkit, "turn", "--session", session, "--to", provider, "--tools", path]
        turned = run(argv, data=data, keep=True)
        requests.append(_order_for_cache(json.loads(turned.out)))
    shared = sum(count_common(old, new) for old, new in pairwise(requests))
    share = shared / sum(map(len, requests[1:]))
    what = f"share of requests that is the beginning of the one before, {provider}, window {PREFIX_WINDOW:,}"
    return Figure(SUITE, what, f"{share:.2f}", share, f">= {PREFIX_SHARE}", share >= PREFIX_SHARE)


def _order_for_cache(request: dict[str, object]) -> str:
    """Return a request in the order in which providers build the prompt: tools, system prompt, conversation."""
    first = ("tools", "system", "instructions", "systemInstruction")
    last = ("messages", "input", "contents")
    return "".join(json.dumps(request[key]) for key in (*first, *last) if key in request)


def _make_turn(provider: str, number: int) -> list[dict[str, object]]:
    """Return the messages of a turn: a request of the user, behind a call and its result but for the first one."""
    request = f"Step {number}: look at part {number} of the parser, and say what it does."
    user_message: dict[str, object] = {"role": "user", "content": request}
    if provider == "gemini":
        user_message = {"role": "user", "parts": [{"text": request}]}
    if not number:
        return [user_message]
    name, id_ = TOOLS[number % len(TOOLS)], f"call_{number}"
    result = short_text(RESULT_BYTES).decode()[number % 50 :]
    arguments = {"path": f"src/part{number}.py"}
    if provider == "anthropic":
        use = {"type": "tool_use", "id": id_, "name": name, "input": arguments}
        answer: dict[str, object] = {"type": "tool_result", "tool_use_id": id_, "content": result}
        text = {"type": "text", "text": request}
        return [{"role": "assistant", "content": [use]}, {"role": "user", "content": [answer, text]}]
    if provider == "gemini":
        response = {"functionResponse": {"name": name, "response": {"output": result}}}
        called = {"functionCall": {"name": name, "args": arguments}}
        return [{"role": "model", "parts": [called]}, {"role": "user", "parts": [response, {"text": request}]}]
    if provider == "responses":
        item: dict[str, object] = {"type": "function_call", "call_id": id_, "name": name}
        item["arguments"] = json.dumps(arguments)
        return [item, {"type": "function_call_output", "call_id": id_, "output": result}, user_message]
    function = {"name": name, "arguments": json.dumps(arguments)}
    call = {"id": id_, "type": "function", "function": function}
    calling: dict[str, object] = {"role": "assistant", "content": None, "tool_calls": [call]}
    return [calling, {"role": "tool", "tool_call_id": id_, "content": result}, user_message]


def _make_session(place: Place, name: str, tokens: int) -> str:
    """Make a session of about a number of tokens; return the file with its messages."""
    text = short_text(MESSAGE_BYTES).decode()
    roles = ("user", "assistant")
    messages = [
        {"role": roles[number % 2], "content": f"{number} {text[number % 97 :]}"}
        for number in range(max(4 * tokens // MESSAGE_BYTES, 2))
    ]
    path = place.path(f"{name}.jsonl")
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(f"{json.dumps(message)}\n" for message in messages)
    run([*place.ctxkit, "session", "new", name, "--window", str(4 * tokens), "--tokenizer", "o200k"])
    run([*place.ctxkit, "session", "append", name, path])
    return path


def _compare_large(place: Place) -> Figure:
    path = _make_session(place, "large", LARGE // (10 if place.quick else 1))
    turn: Run = partial(run, [*place.ctxkit, "turn", "--session", "large"], data=NEW)
    count: Run = partial(run, [*place.ctxkit, "count", path, "--tokenizer", "o200k"])
    floor, timed = interleave([count, turn], place.times(11))
    return _make_figure(f"turn over {LARGE:,} tokens, CPU", timed, floor.cpu, "exact count", COUNTS)


def _compare_small(place: Place) -> Figure:
    _make_session(place, "small", SMALL)
    load = (
        "from ctxkit.core.tokens.vocabulary import find_vocabulary\n"
        "from ctxkit.app.services.engines import load_tokenizer\n"
    )
    count = f"load_tokenizer(find_vocabulary('o200k'))({LOADING!r})"
    runs: list[Run] = [
        partial(run, [sys.executable, "-c", "import click"]),
        partial(run, [sys.executable, "-c", f"import click\n{load}"]),
        partial(run, [sys.executable, "-c", f"import click\n{load}{count}"]),
        partial(run, [*place.ctxkit, "turn", "--session", "small"], data=NEW),
    ]
    floor, modules, loaded, timed = interleave(runs, place.times(15))
    vocabulary = max(loaded.cpu - modules.cpu, 0)
    what = f"turn over {SMALL:,} tokens, CPU, without the load of its vocabulary ({ms(vocabulary)})"
    rest = timed.cpu - vocabulary
    ratio = rest / floor.cpu
    figure = f"{ms(rest)} / {ms(floor.cpu)} import click"
    return Figure(SUITE, what, figure, ratio, f"<= {IMPORTS} x", ratio <= IMPORTS)


def _make_figure(what: str, timed: Several, floor: float, name: str, most: float) -> Figure:
    ratio = timed.cpu / floor
    return Figure(SUITE, what, f"{ms(timed.cpu)} / {ms(floor)} {name}", ratio, f"<= {most} x", ratio <= most)
