"""Large inputs, the same ones each time: logs, JSON, base64 and a script of any size."""

import base64
import os
import random
from collections.abc import Callable, Iterator

SEED = 20260314
PIECE = 1 << 20
MODULES = ("billing.invoice", "auth.session", "search.index", "orders.api", "mail.queue", "cache.redis", "http.access")
VERBS = ("GET", "GET", "GET", "POST", "PUT", "DELETE")
PATHS = ("/api/v2/orders", "/api/v2/invoices", "/static/app.js", "/health", "/search", "/api/v2/users")
SAYINGS = (
    "served {verb} {path}/{id} in {n} ms with status 200", "session {hex} opened for user {id}",
    "wrote {n} rows to /var/lib/app/segment-{id}.dat", "queue depth is {n}, oldest message {id} waits",
    "cache miss for key order:{hex}, loading from the database", "job {hex} finished after {n} ms",
)
WARNINGS = ("retrying {path}/{id} after {n} ms", "slow query took {n} ms: SELECT * FROM orders WHERE id = {id}")
TRACEBACK = (
    "Traceback (most recent call last):", '  File "/srv/app/orders/api.py", line {n}, in fetch',
    "    return self.client.get(order_id, timeout=self.timeout)", '  File "/srv/app/http/client.py", line 88, in get',
    "    raise UpstreamTimeout(self.host, order_id)",
    "app.http.errors.UpstreamTimeout: upstream orders-{id} did not answer in {n} ms",
)


def log(size: int) -> Iterator[str]:
    """Yield a log of a service: times, levels, ids and paths, now and then a traceback."""
    chance = random.Random(SEED)
    moment, written, fields = 1_770_000_000_000, 0, _fields(chance)
    while written < size:
        moment += chance.randrange(40)
        roll = chance.random()
        level = "INFO " if roll < 0.9 else "WARN " if roll < 0.99 else "ERROR"
        saying = chance.choice(WARNINGS if level == "WARN " else SAYINGS)
        if level == "ERROR":
            saying = "request {hex} failed for order {id}"
        where = f"[worker-{chance.randrange(16)}] app.{chance.choice(MODULES)}:"
        line = f"{_stamp(moment)} {level} {where} {saying.format_map(fields())}\n"
        if roll > 0.998:
            line += "\n".join(TRACEBACK).format_map(fields()) + "\n"
        written += len(line)
        yield line


def _fields(chance: random.Random) -> Callable[[], dict[str, object]]:
    def fields() -> dict[str, object]:
        return {
            "verb": chance.choice(VERBS),
            "path": chance.choice(PATHS),
            "id": chance.randrange(100_000, 999_999),
            "n": chance.randrange(1, 4_000),
            "hex": f"{chance.getrandbits(48):012x}",
        }

    return fields


def _stamp(moment: int) -> str:
    """Return a time of day on a day that rises, from milliseconds; a calendar would cost too much."""
    seconds, thousandth = divmod(moment, 1000)
    minutes, second = divmod(seconds, 60)
    hours, minute = divmod(minutes, 60)
    day, hour = divmod(hours, 24)
    return f"2026-{day // 28 % 12 + 1:02}-{day % 28 + 1:02}T{hour:02}:{minute:02}:{second:02}.{thousandth:03}Z"


def one_line_json(size: int) -> Iterator[str]:
    """Yield an array of objects on one line."""
    chance, written = random.Random(SEED), 2
    yield "["
    while written < size:
        tags = f'["{chance.choice(MODULES)}", "{chance.choice(VERBS)}"]'
        body = f'"path": "{chance.choice(PATHS)}", "tags": {tags}, "total": {chance.randrange(10**6) / 100}'
        item = f'{", " if written > 2 else ""}{{"id": {chance.randrange(10**9)}, {body}}}'
        written += len(item)
        yield item
    yield "]\n"


def blob(size: int) -> Iterator[str]:
    """Yield base64 on one line without an end."""
    chance = random.Random(SEED)
    for _ in range(size // 4096):
        yield base64.b64encode(chance.randbytes(3072)).decode()


def pretty_json(size: int) -> Iterator[str]:
    """Yield an array of objects, one member on each line."""
    chance, written = random.Random(SEED), 2
    yield "["
    while written < size:
        body = f'"path": "{chance.choice(PATHS)}",\n    "total": {chance.randrange(10**6) / 100}'
        comma = "," if written > 2 else ""
        item = f'{comma}\n  {{\n    "id": {chance.randrange(10**9)},\n    {body}\n  }}'
        written += len(item)
        yield item
    yield "\n]\n"


def nested_json(size: int) -> Iterator[str]:
    """Yield an object of objects with keys that are data, four levels deep, on one line."""
    chance, written, number = random.Random(SEED), 0, 0
    yield '{"version": 2, "regions": {'
    while written < size:
        hosts = (f'"host-{at}": {{"cpus": {chance.randrange(64)}, "tags": ["a", "b"]}}' for at in range(40))
        item = f'{", " if number else ""}"region-{number}": {{"hosts": {{{", ".join(hosts)}}}}}'
        written, number = written + len(item), number + 1
        yield item
    yield "}}\n"


def json_string(size: int) -> Iterator[str]:
    """Yield an object with one string that is nearly all of it."""
    yield '{"name": "dump.bin", "data": "'
    yield from blob(size)
    yield '", "encoding": "base64"}\n'


def one_line_script(size: int) -> Iterator[str]:
    """Yield minified JavaScript on one line."""
    chance, written = random.Random(SEED), 0
    while written < size:
        name = f"f{chance.getrandbits(40):x}"
        item = f"function {name}(a,b){{if(a>{chance.randrange(99)}){{return b}}return {name}(a+1,b)}}"
        written += len(item)
        yield item


KINDS: dict[str, Callable[[int], Iterator[str]]] = {
    "log": log,
    "json": one_line_json,
    "pretty_json": pretty_json,
    "nested_json": nested_json,
    "json_string": json_string,
    "minified": one_line_script,
}


def make(path: str, kind: str, size: int) -> str:
    """Write about ``size`` bytes of a kind to ``path`` unless that is there, and return the path."""
    if not os.path.exists(path):
        with open(path, "w", encoding="ascii", buffering=PIECE) as file:
            file.writelines(KINDS[kind](size))
    return path


def repeat(path: str, source: str, size: int) -> str:
    """Fill ``path`` with copies of ``source`` up to ``size`` bytes unless it is there, and return the path."""
    if not os.path.exists(path):
        with open(path, "wb") as file:
            while file.tell() < size:
                with open(source, "rb") as piece:
                    while data := piece.read(PIECE):
                        file.write(data)
    return path


def short_text(size: int) -> bytes:
    """Return a log of exactly ``size`` bytes of ASCII."""
    return "".join(log(size)).encode()[: size - 1] + b"\n"
