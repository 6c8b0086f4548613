"""Print the table of the linter: ``python -m bench.lint [--quick] [--seed N] [--findings] [PART...]``."""

import argparse
import os
import sys
from dataclasses import replace

from bench.figure import table
from bench.lint import CLONES
from bench.lint.table import PARTS, Plan, parts
from bench.place import place


def main() -> int:
    """Return 0, 1 when a target is missed, 2 when something failed."""
    parser = argparse.ArgumentParser("bench.lint", description="Measure ctxkit dedupe.")
    parser.add_argument("part", nargs="*", choices=[*PARTS, []], help=f"{', '.join(PARTS)}; all by default")
    parser.add_argument("--quick", action="store_true", help="few of everything, no network, no clones")
    parser.add_argument("--seed", type=int, help="plant with this seed instead of the one that is not for tuning")
    parser.add_argument("--fixes", type=int, metavar="N", help="do so many fix runs")
    parser.add_argument("--clones", metavar="DIR", default=CLONES, help="clones of real repositories, owner+name each")
    parser.add_argument("--findings", action="store_true", help="list what was missed and what is wrong")
    args = parser.parse_args()
    plan = Plan.of(quick=args.quick, clones=os.path.abspath(args.clones))
    plan = replace(plan, parts=tuple(args.part) or plan.parts, listed=args.findings)
    plan = replace(plan, seed=plan.seed if args.seed is None else args.seed, fixes=args.fixes or plan.fixes)
    shown = []
    with place(quick=args.quick) as file:
        for figure in parts(file, plan):
            print(f"{figure.what}: {figure.figure} {figure.verdict}", file=sys.stderr, flush=True)
            shown.append(figure)
    print(table(shown))
    return 2 if any(row.error for row in shown) else int(any(row.ok is False for row in shown))


if __name__ == "__main__":
    sys.exit(main())
