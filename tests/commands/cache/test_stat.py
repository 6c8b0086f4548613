"""How much is stored, and where."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Run = Callable[..., Any]
Home = dict[str, str]


def test_it_counts_blobs_and_bytes_and_names_the_place(run: Run, home: Home) -> None:
    place = f"{home['XDG_CACHE_HOME']}/ctxkit"
    kept = "kept for 7d after the last read, 2GB at most\n"
    assert run("cache", "stat").out.decode() == f"0 blobs, 0 bytes, in {place}\n{kept}"
    run("cache", "put", stdin="x" * 2048)
    assert run("cache", "stat").out.decode() == f"1 blob, 2.0 KB, in {place}\n{kept}"
    run("cache", "put", stdin="y")
    assert json.loads(run("cache", "stat", "--json").out) == {
        "blobs": 2,
        "bytes": 2049,
        "directory": place,
        "max_age": "7d",
        "max_size": "2GB",
        "stores": [{"directory": place, "blobs": 2, "bytes": 2049}],
    }


def test_the_limits_are_those_of_the_settings(run: Run) -> None:
    env = {"CTXKIT_CACHE_MAX_AGE": "24h", "CTXKIT_CACHE_MAX_SIZE": "1GB"}
    assert run("cache", "stat", env=env).out.endswith(b"\nkept for 24h after the last read, 1GB at most\n")


def test_looking_makes_nothing(run: Run, home: Home) -> None:
    for verb in ("stat", "list", "verify"):
        assert run("cache", verb).status == 0
    assert list(Path(home["XDG_CACHE_HOME"]).iterdir()) == []
    assert list(Path(home["XDG_DATA_HOME"]).iterdir()) == []
