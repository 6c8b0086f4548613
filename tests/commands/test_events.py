"""ctxkit events: what commands logged, and what it adds up to."""

import csv
import json
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree

import pytest

from ctxkit.core.models.model_table import DATES
from tests.conftest import Run

ROWS = "".join(f"line {number}: no such file\n" for number in range(1, 3001))


@pytest.fixture
def log(run: Run, tmp_path: Path) -> Path:
    """A file with the events of a few commands."""
    path = tmp_path / "log.jsonl"
    env = {"CTXKIT_EVENTS": str(path), "CTXKIT_TURN": "7"}
    done = run("gate", "--window", "4000", "--tokenizer", "qwen3", "--session", "s", "--name", "rows", "--json", stdin=ROWS, env=env)
    ref = json.loads(done.out)["ref"]
    run("cache", "get", ref, "--lines", "5:90", "--tokenizer", "qwen3", "--session", "s", env=env)
    run("run", "--window", "9000", "--tokenizer", "qwen3", "--", "echo", "few words", env=env)
    return path


def test_each_event_has_the_call_that_wrote_it(log: Path) -> None:
    """Issue: "session and turn ids, before and after, durations"."""
    mapped, part, passed = map(json.loads, log.read_text().splitlines())
    assert (mapped["event"], mapped["verb"], mapped["session"], mapped["turn"]) == ("tool_output_truncated", "gate", "s", "7")
    assert mapped["before_tokens"] > 10 * mapped["after_tokens"] > 0
    assert (part["event"], part["verb"], part["lines"], part["before_tokens"]) == ("cache_get", "cache get", 86, 0)
    assert part["ref"] == mapped["ref"]
    assert part["session"] == "s"
    assert (passed["event"], passed["verb"], passed["command"], passed["exit"]) == ("gate", "run", "echo", 0)
    assert all(isinstance(event["duration_ms"], int) for event in (mapped, part, passed))


@pytest.mark.slow
def test_events_are_lines_and_filters_choose_them(run: Run, log: Path) -> None:
    assert [line.split(b"  ")[1:3] for line in run("events", log).out.splitlines()] == [
        [b"tool_output_truncated", b"gate"], [b"cache_get", b"cache get"], [b"gate", b"run echo"],
    ]  # fmt: skip
    counts = [
        len(run("events", log, *words.split()).out.splitlines())
        for words in ("--session s", "--command gate", "--command cache --command echo", "--since 1h", "--since 2999-01-01")
    ]
    assert counts == [2, 1, 2, 3, 0]
    assert run("events", log, "--json").out == log.read_bytes()
    assert run("events", env={"CTXKIT_EVENTS": str(log)}).out == run("events", log).out
    assert run("events", "-", stdin=log.read_bytes()).out == run("events", log).out


@pytest.mark.slow
def test_savings_are_net(run: Run, log: Path) -> None:
    """Issue: "Net savings only: tokens kept out, less maps, less what drill-downs and repeated reads brought back"."""
    mapped, part, _ = map(json.loads, log.read_text().splitlines())
    total = json.loads(run("events", log, "--by", "command", "--json").out)
    baseline = round(mapped["before_tokens"] * min(1, 51_200 / len(ROWS), 2000 / 3000))
    assert (total["kept_out"], total["maps"], total["brought_back"]) == (baseline, mapped["after_tokens"], part["after_tokens"])
    assert total["net"] == baseline - mapped["after_tokens"] - part["after_tokens"]
    assert sum(group["net"] for group in total["groups"]) == total["net"]
    rows = list(csv.DictReader(StringIO(run("events", log, "--by", "command", "--csv").out.decode())))
    assert [(row["command"], int(row["net"])) for row in rows] == [(group["key"], group["net"]) for group in total["groups"]]
    assert f"{total['net']:,}".encode() in run("events", log, "--by", "day").out.splitlines()[-2]


@pytest.mark.slow
def test_a_cost_has_a_dated_price(run: Run, log: Path, home: dict[str, str]) -> None:
    assert b" -\n" in run("events", log, "--cost").out
    file = Path(home["XDG_CONFIG_HOME"]) / "ctxkit" / "config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text('[models."house"]\ninput_price = 3.0\nprice_date = "2026-11-01"\n')
    text = log.read_text().replace('"session":"s"', '"session":"s","model":"house"')
    done = run("events", "-", "--by", "model", "--cost", "--json", stdin=text)
    total = json.loads(done.out)
    source = f"{file}:2"
    assert total["prices"] == [{"model": "house", "input_price": 3.0, "as_of": "2026-11-01", "source": source}]
    assert total["cost"] == pytest.approx(total["net"] * 3 / 1e6, abs=1e-6)
    said = run("events", "-", "--by", "model", "--cost", stdin=text).err
    assert said == f"ctxkit: house: $3 for a million input tokens ({source}, 2026-11-01)\n"
    file.write_text("input_price = 'much'\n")
    assert run("events", log, "--cost").status == 78


def test_without_a_price_in_the_settings_that_of_the_publisher_holds(run: Run, log: Path) -> None:
    """Issue: "money by dated prices (`--cost`)"."""
    text = log.read_text().replace('"session":"s"', '"session":"s","model":"claude-sonnet-4-5"')
    done = run("events", "-", "--cost", stdin=text)
    assert done.err == f"ctxkit: claude-sonnet-4-5: $3 for a million input tokens (litellm, {DATES['litellm']})\n"
    assert b"1 event of a model without a price, not in the cost" in done.out


@pytest.mark.slow
def test_broken_lines_are_counted_and_said(run: Run, log: Path) -> None:
    data = log.read_bytes() + b'\xff\n{"v":1,"event":"ga\n[]\n' + log.read_bytes()
    done = run("events", "-", stdin=data)
    assert (done.status, len(done.out.splitlines())) == (0, 6)
    assert done.err == "ctxkit: warning: 3 lines are not an event, and skipped\n"
    assert json.loads(run("events", "-", "--by", "day", "--json", stdin=data).out)["broken_lines"] == 3


@pytest.mark.slow
def test_lines_of_many_processes_are_whole(ctxkit: str, home: dict[str, str], tmp_path: Path) -> None:
    path = tmp_path / "log"
    call = [ctxkit, "gate", "--window", "9000", "--tokenizer", "bytes/3", "--name", "x" * 200, "--events", str(path)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: subprocess.run(call, input=b"a line\n", env=home, capture_output=True), range(12)))
    assert [json.loads(line)["event"] for line in path.read_text().splitlines()] == ["gate"] * 12


@pytest.mark.slow
def test_follow_shows_what_comes(ctxkit: str, home: dict[str, str], log: Path) -> None:
    with subprocess.Popen([ctxkit, "events", "--follow", log], stdout=subprocess.PIPE, env=home) as process:
        assert process.stdout
        first = [process.stdout.readline() for _ in range(3)]
        assert first[2].split(b"  ")[2] == b"run echo"
        with log.open("ab") as file:
            file.write(log.read_bytes().splitlines(keepends=True)[0])
        assert process.stdout.readline() == first[0]
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 130


@pytest.mark.slow
def test_a_plot_is_well_formed(run: Run, log: Path, tmp_path: Path) -> None:
    assert run("events", log, "--plot", tmp_path / "a.svg").out == b""
    ElementTree.parse(tmp_path / "a.svg")


@pytest.mark.browser
@pytest.mark.skipif(not shutil.which("chromium"), reason="chromium is not installed")
@pytest.mark.parametrize("words", [("a.svg",), ("a.html", "--by", "command")], ids=lambda words: words[0])
def test_a_plot_is_drawn_in_a_browser(run: Run, log: Path, tmp_path: Path, words: tuple[str, ...]) -> None:
    name, *grouping = words
    run("events", log, *grouping, "--plot", tmp_path / name)
    shot = tmp_path / "a.png"
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--window-size=390,700", f"--screenshot={shot}"]
    subprocess.run(["chromium", *options, f"file://{tmp_path / name}"], capture_output=True, timeout=60, check=True)
    assert count_blue(shot) > 1000


def count_blue(shot: Path) -> int:
    """Return the pixels of the colour of the first component."""
    return sum(pixel == (0x2F, 0x6F, 0xB0) for pixel in read_png(shot.read_bytes()))


def read_png(data: bytes):
    """Yield the pixels of a PNG with 8 bits for each of three or four channels."""
    import struct
    import zlib

    width, _, _, colour = struct.unpack(">IIBB", data[16:26])
    channels = {2: 3, 6: 4}[colour]
    at, packed = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        packed += data[at + 8 : at + 8 + size] if kind == b"IDAT" else b""
        at += size + 12
    raw, stride = zlib.decompress(packed), width * channels
    above = bytearray(stride)
    for start in range(0, len(raw), stride + 1):
        row = bytearray(raw[start + 1 : start + 1 + stride])
        unfilter(raw[start], row, above, channels)
        yield from (tuple(row[left : left + 3]) for left in range(0, stride, channels))
        above = row


def unfilter(kind: int, row: bytearray, above: bytearray, channels: int) -> None:
    for at in range(len(row)):
        left = row[at - channels] if at >= channels else 0
        corner = above[at - channels] if at >= channels else 0
        up = above[at]
        nearest = min((left, up, corner), key=lambda value: abs(left + up - corner - value))
        row[at] = (row[at] + (0, left, up, (left + up) // 2, nearest)[kind]) & 255


@pytest.mark.slow
def test_wrong_inputs(run: Run, log: Path, tmp_path: Path) -> None:
    for words, status, said in (
        (("events",), 2, "no events file is named"),
        (("events", tmp_path), 66, "is a directory"),
        (("events", tmp_path / "none"), 66, "No such file"),
        (("events", log, "--since", "soon"), 2, "neither a duration"),
        (("events", log, "--by", "moon"), 2, "moon"),
        (("events", log, "--follow", "--by", "day"), 2, "--follow shows events"),
        (("events", log, "--plot", "a.png"), 2, ".svg nor .html"),
        (("events", log, "--plot", tmp_path / "none" / "a.svg"), 74, "No such file"),
    ):
        done = run(*words, stdin="")
        assert (done.status, done.out) == (status, b"")
        assert said in done.err
        assert "Traceback" not in done.err


@pytest.mark.slow
def test_a_large_file_takes_little_memory(ctxkit: str, home: dict[str, str], log: Path, tmp_path: Path) -> None:
    large = tmp_path / "large"
    large.write_bytes(log.read_bytes() * 20_000)
    script = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    began = time.monotonic()
    done = subprocess.run([sys.executable, "-c", script, ctxkit, "events", large, "--by", "day"], env=home, capture_output=True, check=True)
    assert int(done.stdout) < 150_000
    assert time.monotonic() - began < 5 + large.stat().st_size / 1e6
