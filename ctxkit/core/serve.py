"""What the server answers: its endpoints, the arguments of a command from parameters, its callers, its metrics.

An endpoint has no parameter that names a file, a program or a server: content is in the body of the request.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple
from urllib.parse import parse_qsl, quote, unquote

from ctxkit.core.errors import STATUSES, Exit, UsageError
from ctxkit.core.lazy_pattern import compile_lazily

PREFIX = "/v1/"
"""Beginning of the path of every endpoint; the number rises when an answer changes its meaning."""
_MAX_VALUE = 100_000
"""Maximum characters of a parameter; the arguments of a process hold 131,072 bytes each on Linux."""
_YES, _NO = ("", "1", "true", "yes"), ("0", "false", "no")
_REF = compile_lazily("[0-9a-f]{6,64}")
_TOKENIZER = compile_lazily(r"(?:bytes|chars)/[0-9.]+|[\w.-]+")
_SIZE = ("model", "window", "reserve", "used", "tokenizer")
_BRIEF = ("name", "type", "focus", "hint")


class Endpoint(NamedTuple):
    """The command of an endpoint, and the options that a request may give.

    ``values`` are options with a value, ``flags`` those without. ``operand`` is the parameter that becomes an argument
    of the command; ``arguments`` are always given. The command prints JSON if ``has_json``. ``looks_up`` is true where
    status 1 of the command means that there is nothing of this name.
    """

    command: tuple[str, ...]
    values: frozenset[str]
    flags: frozenset[str] = frozenset()
    operand: str = ""
    arguments: tuple[str, ...] = ()
    has_json: bool = True
    looks_up: bool = False


def _define(
    command: str,
    values: tuple[str, ...] = (),
    flags: tuple[str, ...] = (),
    operand: str = "",
    *,
    has_json: bool = True,
) -> Endpoint:
    looks_up = command.startswith(("cache", "session"))
    words = tuple(command.split())
    return Endpoint(words, frozenset(values), frozenset(flags), operand, has_json=has_json, looks_up=looks_up)


ENDPOINTS: dict[str, Endpoint] = {
    "count": _define("count", (*_SIZE, "by", "max", "input", "format", "field", "id"), ("each",)),
    "gate": _define(
        "gate",
        (*_SIZE, *_BRIEF, "session", "limit", "status", "host", "field", "id"),
        ("no-store", "strict", "redact", "admit", "again", "each"),
    ),
    "brief": _define("brief", (*_SIZE, *_BRIEF, "session", "target", "field", "id"), ("redact", "each")),
    "cache/get": _define(
        "cache get",
        (*_SIZE, "session", "lines", "bytes", "grep", "json-path", "context-lines"),
        ("number", "gate", "redact"),
        "ref",
        has_json=False,
    ),
    "compact": _define(
        "compact",
        (
            *(*_SIZE, "session", "hint", "format", "trigger", "low-water", "keep-recent", "keep-last"),
            *("keep-observations", "stages", "summary-role", "page-tokens", "pin", "leaf"),
        ),
        ("force", "no-store", "strict", "redact", "skip-bad"),
        has_json=False,
    )._replace(arguments=("--summarizer=extract",)),
    "budget": _define("budget", (*_SIZE, "session", "format")),
    "session/new": _define("session new", _SIZE, operand="id", has_json=False),
    "session/append": _define("session append", ("format",), ("no-count", "strict"), "id"),
    "session/history": _define("session history", ("last", "lines", "since"), operand="id"),
    "session/status": _define("session status", operand="id"),
    "session/reset": _define("session reset", ("used",), operand="id", has_json=False),
    "session/list": _define("session list"),
    "session/rm": _define("session rm", operand="id", has_json=False),
}
"""Every endpoint by its path after the prefix."""
HEALTH_PATH, METRICS_PATH = f"{PREFIX}health", "/metrics"
ENGINE_PREFIX = f"{PREFIX}engine/"
"""Beginning of the paths on which other processes of the same ctxkit ask for counts and maps."""
_ENGINE_WORKS = ("count", "map")
_NAMES = {
    **{f"{PREFIX}{name}": name for name in ENDPOINTS},
    **{f"{ENGINE_PREFIX}{work}": f"engine/{work}" for work in _ENGINE_WORKS},
    HEALTH_PATH: "health",
    METRICS_PATH: "metrics",
}
_RENAMED: dict[tuple[str, ...], str] = {("cache", "get", "context"): "context-lines"}
"""New names of parameters by the command and the former name, which endpoints still take."""


def find_endpoint(path: str) -> Endpoint | None:
    """Return the endpoint at a path, None if there is none."""
    return ENDPOINTS.get(path.removeprefix(PREFIX)) if path.startswith(PREFIX) else None


def name_endpoint(path: str) -> str:
    """Return the name of the endpoint at a path for metrics and the log, "unknown" if there is none."""
    return _NAMES.get(path, "unknown")


def make_arguments(endpoint: Endpoint, parameters: Iterable[tuple[str, str]], *, as_json: bool) -> list[str]:
    """Return the arguments of the command; raise UsageError for a parameter that the endpoint does not have."""
    options: list[str] = []
    operands: list[str] = []
    for parameter, value in parameters:
        _check_value(parameter, value)
        name = _RENAMED.get((*endpoint.command, parameter), parameter)
        if name == endpoint.operand and name:
            operands.append(_check_operand(name, value))
        elif name in endpoint.values:
            options.append(f"--{name}={_check_name(name, value)}")
        elif name in endpoint.flags:
            options += [f"--{name}"] if _read_flag(name, value) else []
        else:
            raise UsageError(f"unknown parameter {name[:80]!r}", hint=_list_parameters(endpoint))
    output = ["--json"] if as_json and endpoint.has_json else []
    end = ["--", *operands] if operands else []
    return [*endpoint.command, *endpoint.arguments, *output, *options, *end]


def _check_value(name: str, value: str) -> None:
    if len(value) > _MAX_VALUE or "\0" in value:
        raise UsageError(f"parameter {name[:80]!r} is too long or contains a NUL")


def _check_operand(name: str, value: str) -> str:
    """Return a ref or an id; raise UsageError for a ref that could be a file."""
    if name == "ref" and not _REF.fullmatch(value):
        raise UsageError("a ref has 6 to 64 hexadecimal digits")
    return value


def _check_name(name: str, value: str) -> str:
    """Return the value of an option; raise UsageError for a tokenizer or a model that is a file."""
    is_file = value.lower().endswith((".json", ".gguf"))
    if (name == "tokenizer" and (is_file or not _TOKENIZER.fullmatch(value))) or (name == "model" and is_file):
        raise UsageError(f"the {name} of a request is a name", hint=f"a file: set {name} in your settings")
    return value


def _read_flag(name: str, value: str) -> bool:
    if value.lower() not in _YES + _NO:
        raise UsageError(f"parameter {name!r} is true or false, not {value[:80]!r}")
    return value.lower() in _YES


def _list_parameters(endpoint: Endpoint) -> str:
    names = sorted(endpoint.values | endpoint.flags | ({endpoint.operand} if endpoint.operand else set()))
    return f"known are {', '.join(names)}" if names else "it has none"


STATUS_HEADER, MESSAGES_HEADER = "ctxkit-status", "ctxkit-messages"
MAX_MESSAGES = 4_000
"""Maximum bytes of stderr in a header."""
JSON_TYPE, BYTES_TYPE = "application/json", "application/octet-stream"
_HTTP_STATUS = {
    Exit.DONE: 200,
    Exit.NO: 200,
    Exit.USAGE: 400,
    Exit.MALFORMED: 422,
    Exit.MISSING: 404,
    Exit.ABSENT: 501,
    Exit.LOCKED: 503,
    Exit.INTERRUPTED: 503,
}
_NOT_FOUND, _FAILURE = 404, 500


class HttpAnswer(NamedTuple):
    """An answer of HTTP without its body: the status and the headers."""

    status: int
    headers: tuple[tuple[str, str], ...]


def make_answer(endpoint: Endpoint, status: int, messages: bytes, *, has_output: bool, as_json: bool) -> HttpAnswer:
    """Return the answer for a command that ended with ``status`` and wrote ``messages`` to stderr."""
    known = STATUSES.get(status, Exit.BUG)
    code = _NOT_FOUND if known is Exit.NO and endpoint.looks_up else _HTTP_STATUS.get(known, _FAILURE)
    is_json = not has_output or (as_json and endpoint.has_json)
    headers = [("content-type", JSON_TYPE if is_json else BYTES_TYPE), (STATUS_HEADER, str(int(known)))]
    if messages:
        headers.append((MESSAGES_HEADER, quote(messages[:MAX_MESSAGES])))
    return HttpAnswer(code, tuple(headers))


def describe_failure(status: int, messages: bytes) -> dict[str, object]:
    """Return the body of an answer without output: the status, and what the command said."""
    return {"status": status, "messages": messages.decode("utf-8", "replace").splitlines()}


DIRECTORY_HEADER, VARIABLES_HEADER = "ctxkit-directory", "ctxkit-variables"
_MAX_VARIABLES, _MAX_LENGTH = 200, 100_000
"""Maximum number of variables of a request, and of characters in each header."""
_OWN = compile_lazily(r"CTXKIT_[A-Z0-9_]{1,80}")


class Caller(NamedTuple):
    """The working directory of a caller ("" if it sends none), and its variables."""

    directory: str = ""
    variables: tuple[tuple[str, str], ...] = ()


def read_caller(directory: str, variables: str, *, is_local: bool) -> Caller:
    """Return the caller of two headers: a percent-encoded path, and variables of ctxkit as in a query string.

    Raise UsageError for a relative path, an unknown variable, and any of them from a caller on another machine.
    """
    if not is_local and (directory or variables):
        raise UsageError(
            "a request over the network carries neither a directory nor variables", hint="use the parameters"
        )
    if max(len(directory), len(variables)) > _MAX_LENGTH:
        raise UsageError(f"a header has at most {_MAX_LENGTH:,} characters")
    path = unquote(directory, errors="surrogateescape")
    if path and (not path.startswith("/") or "\0" in path):
        raise UsageError(f"{DIRECTORY_HEADER} is not an absolute path")
    return Caller(path, _read_variables(variables))


def _read_variables(text: str) -> tuple[tuple[str, str], ...]:
    try:
        pairs = parse_qsl(
            text, keep_blank_values=True, strict_parsing=bool(text), errors="surrogateescape",
            max_num_fields=_MAX_VARIABLES,
        )  # fmt: skip
    except ValueError as error:
        raise UsageError(f"{VARIABLES_HEADER}: {error}", hint="as in CTXKIT_MODEL=qwen3&CTXKIT_SESSION=s1") from None
    for name, value in pairs:
        if not _OWN.fullmatch(name):
            raise UsageError(f"{VARIABLES_HEADER}: {name[:80]!r} is not a variable of ctxkit")
        if "\0" in value:
            raise UsageError(f"{VARIABLES_HEADER}: {name} contains a NUL")
    return tuple(pairs)


class RequestRecord(NamedTuple):
    """A request without its content: its endpoint, the status of HTTP, its duration, and the bytes of both bodies.

    ``status`` is 0 if the client left before the answer began.
    """

    endpoint: str
    status: int
    seconds: float
    received: int
    sent: int


CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)
"""Upper limits of the buckets of durations, in seconds."""


class Sample(NamedTuple):
    """A value of a metric with its labels; ``suffix`` is added to the name of the metric."""

    value: float
    labels: Mapping[str, str] = {}
    suffix: str = ""


class Metric(NamedTuple):
    """A metric: its name, its type (counter, gauge or histogram), its help text and its samples."""

    name: str
    type: str
    help: str
    samples: Iterable[Sample]


class RequestMetrics:
    """Counts requests by command and status, and their durations by command."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, int]] = Counter()
        self._durations: dict[str, _Histogram] = {}

    def add(self, record: RequestRecord) -> None:
        """Count a request."""
        self._counts[record.endpoint, record.status] += 1
        self._durations.setdefault(record.endpoint, _Histogram()).add(record.seconds)

    def list_metrics(self) -> list[Metric]:
        """Return the counts and the durations."""
        return [
            Metric("ctxkit_requests_total", "counter", "Requests by command and status of HTTP.", self._list_counts()),
            Metric(
                "ctxkit_request_duration_seconds",
                "histogram",
                "Seconds from the head of a request to the end of its answer.",
                self._list_durations(),
            ),
        ]

    def _list_counts(self) -> Iterator[Sample]:
        for (endpoint, status), count in sorted(self._counts.items()):
            yield Sample(count, {"command": endpoint, "status": str(status)})

    def _list_durations(self) -> Iterator[Sample]:
        for endpoint, histogram in sorted(self._durations.items()):
            yield from histogram.list_samples({"command": endpoint})


class _Histogram:
    """Counts durations in buckets."""

    def __init__(self) -> None:
        self._counts = [0] * (len(BUCKETS) + 1)
        self._sum = 0.0

    def add(self, seconds: float) -> None:
        self._counts[bisect_left(BUCKETS, seconds)] += 1
        self._sum += seconds

    def list_samples(self, labels: Mapping[str, str]) -> Iterator[Sample]:
        """Yield the buckets, each with the counts of those before it, then the sum and the count."""
        count = 0
        for limit, in_bucket in zip((*map(str, BUCKETS), "+Inf"), self._counts, strict=True):
            count += in_bucket
            yield Sample(count, {**labels, "le": limit}, "_bucket")
        yield Sample(self._sum, labels, "_sum")
        yield Sample(count, labels, "_count")


def format_metrics(metrics: Iterable[Metric]) -> str:
    """Return metrics in the text format."""
    return "".join(line for metric in metrics for line in _format_metric(metric))


def _format_metric(metric: Metric) -> Iterator[str]:
    yield f"# HELP {metric.name} {metric.help}\n"
    yield f"# TYPE {metric.name} {metric.type}\n"
    for sample in metric.samples:
        labels = ",".join(f'{name}="{_escape(value)}"' for name, value in sample.labels.items())
        yield f"{metric.name}{sample.suffix}{f'{{{labels}}}' if labels else ''} {sample.value!r}\n"


def _escape(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def format_record(record: RequestRecord, time: str) -> str:
    """Return the line of the log for a request that was answered at a time."""
    milliseconds = f"{record.seconds * 1e3:.1f} ms"
    sizes = f"{record.received} bytes in, {record.sent} bytes out"
    return f"{time} {record.endpoint} {record.status} {milliseconds}, {sizes}"
