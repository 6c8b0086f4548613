"""Records with planted irregularities, written as JSON, JSON lines, CSV, XML and YAML."""

import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from xml.sax.saxutils import escape

WORDS = (
    "amber", "basin", "cedar", "delta", "ember", "fjord", "grove", "harbor", "inlet", "jasper", "kelp", "larch",
    "meadow", "north", "orchid", "prairie", "quarry", "ridge", "spruce", "tundra", "upland", "valley", "willow",
    "yarrow", "zephyr", "anchor", "bridge", "castle", "divide", "engine", "falcon", "garden", "hollow", "island",
)  # fmt: skip
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Plant:
    """Name one irregularity: its kind, the key and the row it is in, what of it may be quoted."""

    kind: str
    key: str
    row: int
    shown: str = ""


@dataclass(slots=True)
class Records:
    """Hold rows with what was planted in them; ``noun`` is what one of them is called."""

    noun: str
    rows: list[Row]
    plants: list[Plant] = field(default_factory=list)
    nested: bool = False


@dataclass(frozen=True, slots=True)
class Written:
    """Hold records as bytes of a format, with the first and last place of each row.

    Places are 1-based lines, or 1-based bytes where all stands on one line.
    """

    name: str
    data: bytes
    places: Sequence[tuple[int, int]]
    by_bytes: bool = False


def _orders(chance: random.Random, number: int) -> Row:
    return {
        "id": 10_000 + number,
        "customer": f"{chance.choice(WORDS)} {chance.choice(WORDS)}",
        "status": chance.choice(("open", "paid", "shipped")),
        "amount": round(chance.gauss(80, 15), 2),
        "quantity": chance.randrange(1, 9),
        "created": f"2026-{chance.randrange(1, 13):02}-{chance.randrange(1, 29):02}",
        "note": " ".join(chance.choices(WORDS, k=chance.randrange(4, 9))),
        "express": chance.random() < 0.4,
    }


def _sensors(chance: random.Random, number: int) -> Row:
    return {
        "reading": f"r-{number:06}",
        "station": chance.choice(WORDS[:6]),
        "temperature": round(chance.gauss(14, 4), 1),
        "pressure": chance.randrange(985, 1030),
        "unit": chance.choice(("C", "K")),
        "taken": f"2026-03-{chance.randrange(1, 29):02}T{chance.randrange(24):02}:00:00Z",
        "comment": " ".join(chance.choices(WORDS, k=5)),
        "checked": chance.random() < 0.5,
    }


def _tickets(chance: random.Random, number: int) -> Row:
    return {
        "number": 500 + number * 3,
        "title": " ".join(chance.choices(WORDS, k=4)),
        "state": chance.choice(("new", "triaged", "done", "wontfix")),
        "effort": chance.randrange(1, 40),
        "owner": chance.choice(WORDS[:20]),
        "score": round(chance.uniform(0, 1), 4),
        "opened": f"2025-{chance.randrange(1, 13):02}-{chance.randrange(1, 29):02}",
        "body": " ".join(chance.choices(WORDS, k=chance.randrange(6, 18))),
    }


def _parcels(chance: random.Random, number: int) -> Row:
    return {
        "tracking": f"{chance.choice('ABC')}{number:07}",
        "weight": round(chance.gauss(3, 0.6), 3),
        "zone": chance.choice(("n", "e", "s", "w")),
        "carrier": chance.choice(("anselm", "bote", "kurier")),
        "stops": chance.randrange(2, 7),
        "insured": chance.random() < 0.2,
        "address": f"{chance.randrange(1, 300)} {chance.choice(WORDS)} street",
        "sent": f"2026-0{chance.randrange(1, 7)}-1{chance.randrange(10)}",
    }


SHAPES: dict[str, tuple[Callable[[random.Random, int], Row], str]] = {
    "order": (_orders, "id customer status amount quantity created note express"),
    "sensor": (_sensors, "reading station unit temperature pressure taken comment checked"),
    "ticket": (_tickets, "number title state score effort opened body owner"),
    "parcel": (_parcels, "tracking carrier zone weight stops sent address insured"),
}
"""What makes a row; its keys in turn: unique, name, enumeration, number, whole number, date, text, other."""
HELD_OUT = ("ticket", "parcel")
"""Shapes that no rule was tuned on."""


def regular(shape: str, seed: int, rows: int) -> Records:
    """Return rows of a shape none of which is irregular."""
    chance = random.Random(f"{shape} {seed} {rows} regular")
    return Records(shape, [SHAPES[shape][0](chance, number) for number in range(rows)])


def records(shape: str, seed: int, rows: int, nested: bool) -> Records:
    """Return rows of a shape, eight of them irregular, each in its own way."""
    chance = random.Random(f"{shape} {seed} {rows}")
    make, keys = SHAPES[shape]
    all_records = Records(shape, [make(chance, number) for number in range(rows)], nested=nested)
    unique, _, listed, number, whole, date, text, other = keys.split()
    spots = chance.sample(range(rows // 10, rows - 1), 8)
    rare = f"{chance.choice(WORDS)}_{chance.choice(WORDS)}"
    all_records.rows[spots[0]][rare] = chance.choice(WORDS)
    all_records.rows[spots[1]][whole] = f"about {chance.randrange(9)}"
    all_records.rows[spots[2]][date] = None
    all_records.rows[spots[3]][number] = far = round(chance.uniform(60_000, 90_000), 2)
    all_records.rows[spots[4]][text] = " ".join(chance.choices(WORDS, k=400))
    again = chance.randrange(spots[5])
    all_records.rows[spots[5]][unique] = all_records.rows[again][unique]
    del all_records.rows[spots[6]][other]
    all_records.rows[spots[7]][listed] = odd = chance.choice(WORDS) + "ed"
    all_records.plants = [
        Plant("rare key", rare, spots[0]),
        Plant("type flip", whole, spots[1]),
        Plant("null", date, spots[2]),
        Plant("outlier", number, spots[3], str(far)),
        Plant("long text", text, spots[4]),
        Plant("duplicate", str(all_records.rows[again][unique]), spots[5]),
        Plant("missing", other, spots[6]),
        Plant("rare value", listed, spots[7], odd),
    ]
    if nested:
        for row in all_records.rows:
            row["detail"] = {key: row.pop(key) for key in (number, whole, text) if key in row}
    return all_records


def _json(all_records: Records) -> Written:
    parts = [json.dumps(row, indent=2).replace("\n", "\n    ") for row in all_records.rows]
    text, places = f'{{\n  "kind": "{all_records.noun}",\n  "items": [\n', []
    at = text.count("\n") + 1
    body = []
    for part in parts:
        places.append((at, at + part.count("\n")))
        at += part.count("\n") + 1
        body.append(f"    {part}")
    return Written("json", (text + ",\n".join(body) + "\n  ]\n}\n").encode(), places)


def _minify(all_records: Records) -> Written:
    text, places = '{"items":[', []
    for number, row in enumerate(all_records.rows):
        part = json.dumps(row, separators=(",", ":"))
        text += "," if number else ""
        places.append((len(text) + 1, len(text) + len(part)))
        text += part
    return Written("json minified", (text + "]}").encode(), places, by_bytes=True)


def _lines(all_records: Records) -> Written:
    text = "".join(json.dumps(row) + "\n" for row in all_records.rows)
    return Written("jsonl", text.encode(), [(at, at) for at in range(1, len(all_records.rows) + 1)])


def _csv(all_records: Records) -> Written:
    keys = list(dict.fromkeys(key for row in all_records.rows for key in row))
    rare = [plant.key for plant in all_records.plants if plant.kind == "rare key"]
    keys = [key for key in keys if key not in rare] + rare
    rows = [",".join(_cell(row.get(key)) for key in keys) for row in all_records.rows]
    return Written("csv", "\n".join([",".join(keys), *rows, ""]).encode(), [(at, at) for at in range(2, len(rows) + 2)])


def _cell(value: Any) -> str:
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _xml(all_records: Records) -> Written:
    lines, places = ['<?xml version="1.0" encoding="UTF-8"?>', f"<{all_records.noun}s>"], []
    for row in all_records.rows:
        start = len(lines) + 1
        lines += [f"  <{all_records.noun}>", *_elements(row, "    "), f"  </{all_records.noun}>"]
        places.append((start, len(lines)))
    return Written("xml", "\n".join([*lines, f"</{all_records.noun}s>", ""]).encode(), places)


def _elements(row: Row, indent: str) -> Iterator[str]:
    for key, value in row.items():
        if isinstance(value, dict):
            yield from (f"{indent}<{key}>", *_elements(value, indent + "  "), f"{indent}</{key}>")
        else:
            yield f"{indent}<{key}/>" if value is None else f"{indent}<{key}>{escape(_cell(value))}</{key}>"


def _yaml(all_records: Records) -> Written:
    lines, places = [f"# every {all_records.noun}", "version: 2", "items:"], []
    for row in all_records.rows:
        start = len(lines) + 1
        body = list(_pairs(row, "    "))
        lines += ["  - " + body[0].strip(), *body[1:]]
        places.append((start, len(lines)))
    return Written("yaml", "\n".join([*lines, ""]).encode(), places)


def _pairs(row: Row, indent: str) -> Iterator[str]:
    for key, value in row.items():
        if isinstance(value, dict):
            yield f"{indent}{key}:"
            yield from _pairs(value, indent + "  ")
        else:
            result = json.dumps(value) if isinstance(value, str) and value[:1].isdigit() else _cell(value)
            yield f"{indent}{key}: {'null' if value is None else result}"


WRITERS: dict[str, Callable[[Records], Written]] = {
    "json": _json, "minified": _minify, "jsonl": _lines, "csv": _csv, "xml": _xml, "yaml": _yaml,
}  # fmt: skip


def write(all_records: Records, form: str) -> Written:
    """Return records in a format; CSV takes flat rows only."""
    return WRITERS[form](all_records)
