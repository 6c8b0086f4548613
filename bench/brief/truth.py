"""What a test run says of its failures where no log is parsed: reports in XML or JSON that the same run wrote."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from xml.etree import ElementTree


@dataclass(frozen=True, slots=True)
class Failed:
    """Name a failing test as its runner does, without its file, and give the first line of what it says."""

    name: str
    message: str = ""


@dataclass(frozen=True, slots=True)
class Truth:
    """Hold every failing test of a run; ``verdict`` matches the line that closes the log, empty for none."""

    failed: tuple[Failed, ...]
    verdict: str = ""
    notes: tuple[str, ...] = field(default=())

    def as_json(self) -> str:
        """Return the truth as a file keeps it."""
        return json.dumps(asdict(self), ensure_ascii=False, indent=1)


def load(text: str) -> Truth:
    """Return what ``as_json`` kept."""
    kept = json.loads(text)
    return Truth(tuple(Failed(**row) for row in kept["failed"]), kept["verdict"], tuple(kept["notes"]))


def first(message: str | None) -> str:
    """Return the first line of a message that says something, without colours."""
    text = re.sub(r"\x1b\[[\d;]*m", "", message or "")
    return next((row.strip() for row in text.split("\n") if row.strip()), "")


def junit(data: str) -> Iterator[Failed]:
    """Yield the failures of a JUnit report."""
    for case in ElementTree.fromstring(data).iter("testcase"):
        for result in case:
            if result.tag in ("failure", "error"):
                yield Failed(case.get("name", ""), first(result.get("message") or result.text))


def pytest(data: str) -> Iterator[Failed]:
    """Yield the failures of a JUnit report of pytest, which says of a file that fails to import only that it does."""
    for case in ElementTree.fromstring(data).iter("testcase"):
        for result in case:
            if result.tag in ("failure", "error"):
                name, message = case.get("name", ""), result.get("message") or ""
                if message == "collection failure":
                    matches = re.findall(r"^E   (.*)", result.text or "", re.MULTILINE)
                    name, message = name.replace(".", "/") + ".py", matches[-1] if matches else ""
                yield Failed(name, first(message))


def phpunit(data: str, *, prose: bool) -> Iterator[Failed]:
    """Yield the failures of a JUnit report of PHPUnit: the message is below the name; in prose names are spelled."""
    for case in ElementTree.fromstring(data).iter("testcase"):
        for result in case:
            if result.tag in ("failure", "error"):
                rows = [row.strip() for row in (result.text or "").split("\n") if row.strip()]
                name = case.get("name", "")
                if prose:
                    name = re.sub(r"(?<=[a-z])(?=[A-Z0-9])", " ", name.removeprefix("test"))
                yield Failed(name, rows[1] if len(rows) > 1 else "")


def python(rows: str) -> Iterator[Failed]:
    """Yield the failures that bench/brief/unittests.py recorded."""
    for row in filter(None, rows.split("\n")):
        name, message = json.loads(row)
        yield Failed(name, first(message))


def jest(data: str) -> Iterator[Failed]:
    """Yield the failures of the JSON reporter of jest, which vitest shares."""
    for file in json.loads(data)["testResults"]:
        for item in file["assertionResults"]:
            if item["status"] == "failed":
                yield Failed(item["title"], _list_throws(item["failureMessages"]))


def _list_throws(messages: Iterable[str]) -> str:
    """Return what an error of JavaScript says, without its class."""
    return re.sub(r"^(?:\w*Error(?: \[\w+\])?: )", "", first(next(iter(messages), "")))


def mocha(data: str) -> Iterator[Failed]:
    """Yield the failures that bench/brief/mocha.cjs recorded."""
    return (Failed(load["title"], first(load["message"])) for load in json.loads(data))


def go(rows: str) -> Iterator[Failed]:
    """Yield the failures of ``go test -json``."""
    table: dict[tuple[str, str], list[str]] = {}
    for row in filter(None, rows.split("\n")):
        event = json.loads(row) if row.startswith("{") else {}
        key = (event.get("Package", ""), event.get("Test", ""))
        if event.get("Action") == "output":
            table.setdefault(key, []).append(event["Output"])
        elif event.get("Action") == "fail" and key[1]:
            items = [line for line in table.get(key, ()) if re.match(r"\s+\w+_test\.go:\d+: ", line)]
            yield Failed(key[1], first(re.sub(r"^\s*\w+\.go:\d+: ", "", items[0]) if items else ""))


def rust(rows: str) -> Iterator[Failed]:
    """Yield the failures of libtest's JSON, one object a line."""
    for row in rows.split("\n"):
        if row.startswith('{ "type": "test"') and '"event": "failed"' in row:
            event = json.loads(row)
            _, _, after = event.get("stdout", "").partition("panicked at ")
            yield Failed(event["name"], first(after.partition("\n")[2]))


def nextest(data: str) -> Iterator[Failed]:
    """Yield the failures of the JUnit report of nextest: what a panic says stands below where it happened."""
    for case in ElementTree.fromstring(data).iter("testcase"):
        for result in case:
            if result.tag in ("failure", "error"):
                _, panicked, after = (result.text or "").partition("panicked at ")
                value = after.partition("\n")[2] if panicked else result.get("message")
                yield Failed(case.get("name", ""), first(value))


def rspec(data: str) -> Iterator[Failed]:
    """Yield the failures of the JSON formatter of RSpec."""
    for load_value in json.loads(data)["examples"]:
        if load_value["status"] == "failed":
            yield Failed(load_value["full_description"], first(load_value["exception"]["message"]))
