"""Records a second of ``--each`` in one process, and in two under xargs, GNU parallel and PySpark."""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from typing import NamedTuple

import orjson

from bench.corpus import log
from bench.figure import Figure
from bench.place import Place
from bench.process import run

SUITE = "scale"
PROCESSES = 2
SPARK = """
import sys, time
from pyspark import SparkConf, SparkContext
path, command, processes = sys.argv[1], sys.argv[2], int(sys.argv[3])
spark = SparkContext(conf=SparkConf().setMaster(f"local[{processes}]").set("spark.ui.enabled", "false"))
spark.setLogLevel("ERROR")
for _ in range(2):  # the first round starts the workers
    began = time.perf_counter()
    records = spark.textFile(path, processes).pipe(command).count()
    elapsed = time.perf_counter() - began
print(records, elapsed)
"""


class Job(NamedTuple):
    """A filter, and how many records of how many bytes it gets."""

    what: str
    words: tuple[str, ...]
    records: int
    size: int


JOBS = (
    Job("count, records of 1 KB", ("count", "--tokenizer", "o200k"), 200_000, 1_000),
    Job("gate, records of 1 KB that fit", ("gate", "--tokenizer", "qwen3", "--window", "4096"), 100_000, 1_000),
    Job("gate, records of 20 KB as maps", ("gate", "--tokenizer", "qwen3", "--window", "4096"), 400, 20_000),
)


def figures(place: Place) -> Iterator[Figure]:
    """Yield the records a second of each job in each way to run it."""
    for job in JOBS:
        path, records = _write_records(place, job)
        command = shlex.join([*place.ctxkit, *job.words, "--each", "--field", "text"])
        alone = _time_shell(place, f"{command} < {path} > {path}.out", path, records)
        yield _make_figure(job, "one process", records, alone, None)
        for way, script in _list_scripts(path, command).items():
            yield _make_figure(job, way, records, _time_shell(place, script, path, records), alone)
        yield from _time_spark(job, path, command, records)


def _write_records(place: Place, job: Job) -> tuple[str, int]:
    """Return the path of a file of records, and their number; each text is another part of a log."""
    path, records = place.path(f"{job.size}-{job.records}.jsonl"), max(place.size(job.records), 20)
    text = "".join(log(min(records * job.size, 40_000_000) + job.size))
    steps = len(text) - job.size
    with open(path, "wb") as file:
        for number in range(records):
            start = number * job.size % steps
            file.write(orjson.dumps({"id": number, "text": text[start : start + job.size]}) + b"\n")
    return path, records


def _list_scripts(path: str, command: str) -> dict[str, str]:
    """Return the shell script of each way to run two processes that is installed here."""
    scripts = {
        "xargs -P 2": f"split -n l/{PROCESSES} {path} {path}.part. && ls {path}.part.* | "
        f"xargs -P {PROCESSES} -I FILE sh -c '{command} < FILE > FILE.out' && cat {path}.part.*.out > {path}.out; "
        f"rm {path}.part.*"
    }
    if shutil.which("parallel"):
        words = f"parallel --will-cite -k -j {PROCESSES} --pipe-part --block -1 -a {path}"
        scripts["parallel -j 2"] = f"{words} {shlex.quote(command)} > {path}.out"
    return scripts


def _time_shell(place: Place, script: str, path: str, records: int) -> float:
    """Return the seconds of a script; its output must have a line for each record."""
    place.forget()
    elapsed = run(["sh", "-c", script]).wall
    with open(f"{path}.out", "rb") as file:
        lines = sum(b'"error"' not in line for line in file)
    assert lines == records, f"{lines} of {records} records were answered"
    return elapsed


def _time_spark(job: Job, path: str, command: str, records: int) -> Iterator[Figure]:
    """Yield the figures of PySpark, from the interpreter that PYSPARK_PYTHON names or this alone."""
    python = os.environ.get("PYSPARK_PYTHON") or (sys.executable if find_spec("pyspark") else "")
    if not python or not shutil.which("java"):
        yield Figure(SUITE, f"{job.what}, rdd.pipe", "skipped: PySpark or Java is not installed")
        return
    alone = 0.0
    for processes in (1, PROCESSES):
        words = [python, "-c", SPARK, path, command, str(processes)]
        environment = {**os.environ, "PYSPARK_PYTHON": python, "SPARK_LOCAL_IP": "127.0.0.1"}
        ended = subprocess.run(words, capture_output=True, text=True, env=environment, check=True)
        answered, elapsed = ended.stdout.split()[-2:]
        assert int(answered) == records, f"{answered} of {records} records were answered"
        yield _make_figure(job, f"rdd.pipe, local[{processes}]", records, float(elapsed), alone or None)
        alone = float(elapsed)


def _make_figure(job: Job, way: str, records: int, elapsed: float, alone: float | None) -> Figure:
    """Return the records a second, and with several processes the share of what as many separate ones would do."""
    rate = f"{records / elapsed:,.0f} records/s"
    efficiency = f", efficiency {alone / elapsed / PROCESSES:.2f}" if alone else ""
    return Figure(SUITE, f"{job.what}, {way}", rate + efficiency)
