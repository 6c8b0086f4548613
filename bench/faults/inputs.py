"""Hostile inputs: 1 MB each, made to be slow, deep, large or misleading for whatever reads them."""

import bz2
import gzip
import io
import json
import lzma
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from random import Random

from bench.fuzz.corpus import seeds

SIZE = 1_000_000
MANY = 200
UNITS = (
    b"\n", b" ", b"a", b"(", b"[", b"{", b"<", b")", b'"', b"'", b"`", b"1", b"/*", b"=", b":", b"\t", b"\r", b"-",
    b"#", b"|", b"*", b"_", b"\\", b"\0", b"\xff", b",", b";", b".", b"!", b"~", b"\x1b[", b"\x1b]8;;",
    b"\xe2\x80\xae", b"\xf0\x9f\x98\x80", b"\xe6\xbc\xa2", b"\xc2\xa0", b"\xe2\x80\xa8", b"\n\n ", b" \n", b"\r\n",
    b"a ", b"a\n", b"a:\n", b"- a\n", b"- ", b"> ", b"a=", b"a,b\n", b'"a",', b"{a: ", b"{a: [", b"? ", b"[](", b"![",
    b"**", b"](", b"<a>", b"<a ", b"<!--", b"&a;", b"</", b"a.b.", b"../", b"at a", b"  at ", b"1.", b"1-", b"0:",
    b"::", b"@@", b"+\n", b"-\n", b"#\n", b"| a ", b"a|b\n", b"FAILED ", b"error: ", b"ok 1\n",
    b"File \"a\", line 1\n", b"Caused by: ", b"2026-01-01 ", b"00:00:00 ", b"sk-", b"AKIA", b"key=", b"https://a:",
    b"<|im_start|>", b"<|im_end|>", b"<|endoftext|>", b"<tool_call>", b"[user]: ", b"$(", b"${", b"{{", b"%s", b"\\u",
    b"'''", b'"""', b"```\n", b"~~~", b"=====\n",
)  # fmt: skip
"""What is repeated: signs that patterns and parsers heed."""


def hostile() -> Iterator[tuple[str, bytes]]:
    """Yield so many inputs with their names; the same ones each time."""
    number = 0
    for name, make in MAKERS.items():
        yield name, make()
        number += 1
    random, heads = Random(11), seeds("")
    while number < MANY:
        unit = UNITS[number % len(UNITS)]
        head = random.choice(heads)[:2000] if number >= len(MAKERS) + len(UNITS) else b""
        tail = random.choice(heads)[:200] if random.random() < 0.3 else random.choice((b"", b"x", b"\n"))
        body = unit * ((SIZE - len(head) - len(tail)) // len(unit))
        yield f"{unit!r}{' after a seed' if head else ''}", head + body + tail
        number += 1


def _nest(before: bytes, after: bytes, inside: bytes = b"1", levels: int = 0) -> Callable[[], bytes]:
    def make() -> bytes:
        times = levels or SIZE // (len(before) + len(after))
        return before * times + inside + after * times

    return make


def _fill(data: bytes) -> bytes:
    return (data * (SIZE // len(data) + 1))[:SIZE]


def _messages(make_message: Callable[[int], dict[str, object]]) -> Callable[[], bytes]:
    def make() -> bytes:
        messages, size, number = [], 0, 0
        while size < SIZE:
            messages.append(make_message(number))
            size += len(json.dumps(messages[-1])) + 2
            number += 1
        return json.dumps(messages).encode()

    return make


def _call(number: int) -> dict[str, object]:
    function = {"name": "run", "arguments": "{}"}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "same", "type": "function", "function": function}],
    }


def _use(number: int) -> dict[str, object]:
    block = {"type": "tool_use", "id": f"c{number}", "name": "run", "input": {}}
    return {"role": "assistant", "content": [block]} if number % 2 else {"role": "user", "content": "go on"}


def _same_id(number: int) -> dict[str, object]:
    return {"role": "tool", "tool_call_id": "same", "content": "ok"} if number % 2 else _call(number)


def _gemini() -> bytes:
    answer = {"functionResponse": {"name": "run", "response": {"output": "ok"}}}
    contents = [{"role": "user", "parts": [answer]}] * (SIZE // 110)
    return json.dumps({"contents": [{"role": "user", "parts": [{"text": "go"}]}, *contents]}).encode()


def _claude_code() -> bytes:
    rows = (
        {
            "type": "assistant",
            "uuid": f"u{number}",
            "parentUuid": f"u{number - 1}" if number else None,
            "message": _use(1) | {"id": f"m{number}"},
        }
        for number in range(SIZE // 190)
    )
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def _pairs(line: str) -> Callable[[], bytes]:
    """Return statements of which each two differ in one place."""

    def make() -> bytes:
        random, parts, size = Random(7), ["# Rules\n\n"], 0
        while size < SIZE:
            words = " ".join(f"w{random.randrange(400)}" for _ in range(6))
            parts.append(line.format(n=len(parts), words=words))
            size += len(parts[-1])
        return "".join(parts).encode()

    return make


def _tar(mode: str, size: int) -> bytes:
    bytes_i_o = io.BytesIO()
    with tarfile.open(fileobj=bytes_i_o, mode=mode) as archive:  # type: ignore[call-overload]
        member = tarfile.TarInfo("zeros")
        member.size = size
        archive.addfile(member, io.BytesIO(bytes(size)))
    return bytes_i_o.getvalue()


def _zip() -> bytes:
    bytes_i_o = io.BytesIO()
    with zipfile.ZipFile(bytes_i_o, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(8000):
            archive.writestr(f"folder/{number}", b"")
    return bytes_i_o.getvalue()


def _yaml(levels: int) -> bytes:
    return b"{" * levels + b"a" + b": b}" * levels + b"\n"


def _noise() -> bytes:
    return Random(5).randbytes(SIZE)


def _words() -> bytes:
    random = Random(6)
    return _fill(b" ".join(b"%x" % random.getrandbits(40) for _ in range(90_000)))


MAKERS: dict[str, Callable[[], bytes]] = {
    "JSON arrays in arrays": _nest(b"[", b"]"),
    "JSON arrays, open": _nest(b"[", b""),
    "JSON, 2,000 deep": _nest(b"[", b"]", levels=2000),
    "JSON objects in objects": _nest(b'{"a":', b"}"),
    "JSON messages, 2,000 deep": _nest(b'{"messages":[', b"]}", b'{"role":"user","content":"x"}', 2000),
    "JSON, one string": lambda: json.dumps({"role": "user", "content": "x" * SIZE}).encode(),
    "JSON, one number": lambda: b"1" * SIZE,
    "JSON, a number of a million digits in a list": lambda: b"[" + b"1" * SIZE + b"]",
    "JSON, escapes": lambda: b'["' + b"\\ud800" * (SIZE // 6) + b'"]',
    "JSON, one key again and again": lambda: b"{" + b'"a":1,' * (SIZE // 6) + b'"a":1}',
    "JSON, many keys": lambda: json.dumps({f"k{n}": n for n in range(70_000)}).encode(),
    "JSON lines, empty": lambda: b"{}\n" * (SIZE // 3),
    "chat, many short messages": _messages(lambda n: {"role": ("user", "assistant")[n % 2], "content": "x"}),
    "chat, messages that say nothing": _messages(lambda n: {"role": "user", "content": ""}),
    "chat, calls with one id and no result": _messages(_call),
    "chat, calls with one id and their results": _messages(_same_id),
    "chat, calls without results in Anthropic's form": _messages(_use),
    "chat, results of nothing in Gemini's form": _gemini,
    "chat, calls without results of Claude Code": _claude_code,
    "chat, results of nothing": _messages(lambda n: {"role": "tool", "tool_call_id": f"c{n}", "content": "x"}),
    "chat, system messages": _messages(lambda n: {"role": "system", "content": "be good"}),
    "chat, a cycle of parents": lambda: b"".join(
        json.dumps(
            {
                "type": "user",
                "uuid": f"u{n}",
                "parentUuid": f"u{n - 1 if n else 4999}",
                "message": {"role": "user", "content": "x"},
            }
        ).encode()
        + b"\n"
        for n in range(5000)
    ),
    "ChatML that opens": lambda: _fill(b"<|im_start|>user\n"),
    "ChatML that closes in its content": lambda: _fill(b"<|im_start|>user\nsay <|im_end|> twice<|im_end|>\n"),
    "YAML, keys in keys": lambda: _yaml(32),
    "YAML, many keys in keys": lambda: _yaml(30_000),
    "YAML, explicit keys": lambda: b"? " * 1000 + b"a\n",
    "YAML, a stair": lambda: b"".join(b" " * n + b"a:\n" for n in range(1400)),
    "YAML, aliases": lambda: b"a: &a [x]\n" + b"".join(b"b%d: [*a, *a, *a]\n" % n for n in range(40_000)),
    "TOML, one dotted key": lambda: b"a" + b".a" * (SIZE // 2) + b" = 1\n",
    "TOML, many tables": lambda: b"".join(b"[a%d]\nb = 1\n" % n for n in range(60_000)),
    "XML, deep": _nest(b"<a>", b"</a>"),
    "XML, entities": lambda: (
        b'<!DOCTYPE a [<!ENTITY a "x">'
        + b"".join(b'<!ENTITY a%d "&a;&a;&a;&a;">' % n for n in range(30_000))
        + b"]><a>&a9;</a>"
    ),
    "XML, attributes": lambda: b"<a " + b'b="c" ' * (SIZE // 6) + b"/>",
    "HTML, never closed": lambda: b"<!doctype html><body>" + b"<div><p><b>" * (SIZE // 11),
    "Markdown, links that open": lambda: b"# A\n\n" + b"[a](" * (SIZE // 4),
    "Markdown, quotes in quotes": lambda: b"# A\n\n" + b"> " * (SIZE // 2) + b"a\n",
    "Markdown, a table of a million cells": lambda: (
        b"|a" * 5000 + b"|\n" + b"|-" * 5000 + b"|\n" + b"|" * (SIZE - 20_000)
    ),
    "Markdown, headings": lambda: b"# a\n" * (SIZE // 4),
    "Markdown, one bullet again and again": lambda: b"- Always run the tests before you commit.\n" * (SIZE // 42),
    "Markdown, short lines": lambda: b"".join(b"- rule %d\n" % n for n in range(SIZE // 12)),
    "Markdown, rules that differ in a word": _pairs("- Use {words} one{n}.\n- Use {words} two{n}.\n"),
    "Markdown, rules that differ in a number": _pairs("- The port of s{n} is 80{n}.\n- The port of s{n} is 90{n}.\n"),
    "Markdown, rules and their opposites": _pairs("- Always run {words} {n}.\n- Never run {words} {n}.\n"),
    "Markdown, one long line": lambda: b"- " + b"word and " * (SIZE // 9) + b"\n",
    "CSV, an open quote": lambda: b'a,b,c\n1,"' + b"x,y\n" * (SIZE // 4),
    "CSV, many columns": lambda: b",".join(b"c%d" % n for n in range(80_000)) + b"\n" + b"1," * 80_000 + b"\n",
    "CSV, empty rows": lambda: b"a,b\n" + b",\n" * (SIZE // 2),
    "a diff of hunks": lambda: b"--- a\n+++ b\n" + b"@@ -1 +1 @@\n-a\n+b\n" * (SIZE // 18),
    "a diff that promises much": lambda: b"--- a\n+++ b\n@@ -1,999999999 +1,999999999 @@\n" + b" a\n" * (SIZE // 3),
    "a log of stamps": lambda: b"2026-01-01T00:00:00.000Z\n" * (SIZE // 25),
    "a log with a word of its own in each line": lambda: b"".join(
        b"2026-01-01 00:00:00 INFO w%d\n" % (n * 7919) for n in range(32_000)
    ),
    "a traceback that never ends": lambda: (
        b"Traceback (most recent call last):\n" + b'  File "a.py", line 1, in f\n    x\n' * 24_000
    ),
    "causes of causes": lambda: b"java.lang.A: x\n" + b"Caused by: java.lang.B: y\n\tat a.b(C.java:1)\n" * 22_000,
    "a test run of failures": lambda: b"===== FAILURES =====\n" + b"____ test_a ____\nE   x\na.py:1: E\n" * 28_000,
    "TAP of plans": lambda: b"1..999999999\n" + b"not ok 1 - a\n" * 76_000,
    "search results of one file each": lambda: b"".join(b"src/file%d.py:%d:match\n" % (n, n) for n in range(34_000)),
    "a listing of deep paths": lambda: b"".join(b"/a" * (n % 400) + b"/b%d\n" % n for n in range(2500)),
    "source of brackets": lambda: b"int main() {" + b"{(" * (SIZE // 2),
    "source, one long line": lambda: b"const a = [" + b"1, " * (SIZE // 3) + b"];\n",
    "source, defs": lambda: b"def f(): pass\n" * (SIZE // 14),
    "bzip2 of a gigabyte": lambda: bz2.compress(bytes(1 << 20)) * 1000,
    "gzip of zeros": lambda: gzip.compress(bytes(200 << 20), 6, mtime=0),
    "xz of zeros": lambda: lzma.compress(bytes(100 << 20), preset=0),
    "a tar in gzip, one large member": lambda: _tar("w:gz", 200 << 20),
    "a tar in bzip2, one large member": lambda: _tar("w:bz2", 100 << 20),
    "a zip of empty files": _zip,
    "an archive that is cut": lambda: _zip()[: SIZE // 3],
    "noise": _noise,
    "UTF-16": lambda: ("\u6f22 a\n" * (SIZE // 8)).encode("utf-16"),
    "UTF-16, odd": lambda: b"\xff\xfe" + b"\x00\xd8" * (SIZE // 2) + b"x",
    "words that are never the same": _words,
    "base64 on one line": lambda: _fill(b"QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo0NTY3ODkr"),
    "redrawn lines": lambda: b"".join(b"\r%d%%" % (n % 100) for n in range(SIZE // 4)),
    "a mail of headers": lambda: b"From a@b Mon Jan  1 00:00:00 2026\n" + b"Subject: a\n" * (SIZE // 11),
    "a manual of options": lambda: b"Usage: a [OPTIONS]\n\nOptions:\n" + b"  -a, --aa TEXT  words\n" * (SIZE // 24),
    "keys that look secret": lambda: b"api_key=sk-" + b"a1B2" * (SIZE // 4),
}
"""Inputs with a name: what each is hostile to stands in it."""
