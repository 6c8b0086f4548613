"""Run the suites and print one table: ``python -m bench [--quick] [--json] [SUITE...] [--suite PART]``."""

import argparse
import json
import os
import sys
from collections.abc import Iterator
from importlib import import_module
from time import perf_counter
from traceback import format_exception_only, print_exc

from bench.figure import Figure, table
from bench.place import Place, place

NAMES = (
    *("cold", "throughput", "memory", "counting", "tokenizers", "receipts"),
    *("turn", "net", "endless", "fleet", "scale", "serve", "proxy", "mcp", "instructions"),
)
PACKAGES = ("brief", "repository", "truth", "compact", "lint", "faults", "fuzz")
SUITES = {name: name for name in (*NAMES, *PACKAGES)}
"""The module of each suite by its name."""
PARTED = ("brief", "compact")
"""Suites that are packages of several."""
MODULES = (("lint", "unseen"),)
"""Single parts of other suites that are modules."""
LONG = ("tokenizers", "net", "endless", "proxy", *PACKAGES)
"""Suites that fetch packages or take minutes: a quick run leaves them out, unless they are named."""
STRICT = ("faults", "fuzz", "instructions")
"""Suites whose targets hold in a quick run too: they count faults, and no time is measured."""
HOW = """\
Each command was timed in turn with its floor or peer, after one round that does not count. Times are medians on
the wall (of `gate` on large content the best), CPU the least. Compare ratios: times differ from box to box.
MB are a million bytes. Peaks are of resident memory. Counts were made with splintr and qwen3, apart from ctxkit."""


def main() -> int:
    """Return 0, 1 when a target is missed (a quick run only reports that), 2 when something failed."""
    parser = argparse.ArgumentParser("bench", description="Measure ctxkit against floors, peers and its promises.")
    parser.add_argument("suite", nargs="*", help=f"{', '.join(SUITES)}; all by default; or an input")
    parser.add_argument("--quick", action="store_true", help="a smoke run on smaller inputs; misses are only reported")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of a table")
    part = "of a suite of several, such as brief, one only; the window of the endless session"
    parser.add_argument("--suite", "--part", dest="part", default="", metavar="PART", help=part)
    parser.add_argument("--seconds", type=float, default=60, help="how long to fuzz")
    parser.add_argument("--seed", type=int, default=1, help="what the cases are made of")
    parser.add_argument("--replay", default="", metavar="FILE", help="a finding of the fuzzer to run again")
    inputs = "directory with inputs to check instead of the corpora, repeatable"
    parser.add_argument("--inputs", action="append", default=[], metavar="DIR", help=inputs)
    parser.add_argument("--full", action="store_true", help="feed the endless session 80 million tokens")
    parser.add_argument("--tokens", type=int, default=0, help="feed the endless session so many tokens")
    args = parser.parse_intermixed_args()
    if args.part:
        parted = [name for name in args.suite if (name, args.part) in MODULES or name in PARTED]
        SUITES.update({name: f"{name}.{args.part}" for name in parted})
    args.inputs += [name for name in args.suite if name not in SUITES and os.path.exists(name)]
    args.suite = [name for name in args.suite if name not in args.inputs]
    unknown = set(args.suite) - set(SUITES)
    if unknown:
        parser.error(f"no suite {', '.join(sorted(unknown))}; there are {', '.join(SUITES)}")
    replay = os.path.abspath(args.replay) if args.replay else ""
    folders = tuple(os.path.abspath(folder) for folder in args.inputs)
    options = {"part": args.part, "seconds": args.seconds, "seed": args.seed, "replay": replay, "full": args.full}
    options["tokens"] = args.tokens
    with place(quick=args.quick, folders=folders, **options) as file:
        suite_value = args.suite or [suite for suite in SUITES if not (args.quick and suite in LONG)]
        figures = [figure for suite in suite_value for figure in _figures(suite, file)]
    if args.json:
        print(json.dumps({"quick": args.quick, "figures": [figure.as_json() for figure in figures]}))
    else:
        print(f"{HOW}\n{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}{', a quick run' * args.quick}\n")
        print(table(figures))
    return _status(figures, quick=args.quick)


def _figures(suite: str, place_value: Place) -> Iterator[Figure]:
    """Yield the figures of a suite, saying on stderr how far it is; a failure is one of them."""
    started = perf_counter()
    try:
        for figure in import_module(f"bench.{SUITES[suite]}").figures(place_value):
            print(f"{suite}: {figure.what}: {figure.figure} {figure.verdict}", file=sys.stderr, flush=True)
            yield figure
    except Exception as error:
        print_exc()
        yield Figure(suite, "failed", format_exception_only(error)[-1].strip()[:100], error=True)
    print(f"{suite}: done in {perf_counter() - started:.0f} s", file=sys.stderr, flush=True)


def _status(figures: list[Figure], *, quick: bool) -> int:
    if any(figure.error for figure in figures):
        return 2
    return 1 if any(figure.ok is False and not (quick and figure.suite not in STRICT) for figure in figures) else 0


if __name__ == "__main__":
    sys.exit(main())
