"""Check that no module of ctxkit has more than 500 lines: ``python -m tools.module_sizes``.

Print the modules that are longer and have no reason, and exit with 1 if there are any.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
MAX_LINES = 500
REASONS = {
    "core/models/host_limits.py": "is a table that tools/models.py writes",
    "core/models/model_table.py": "is a table that tools/models.py writes",
}
"""Modules that may be longer, below ctxkit/, each with the reason."""


def find_long_modules(root: Path = ROOT) -> Iterator[str]:
    """Yield a line for each module that is too long without a reason, and for each reason without a module."""
    for path in sorted((root / "ctxkit").rglob("*.py")):
        name, lines = path.relative_to(root / "ctxkit").as_posix(), path.read_text(encoding="utf-8").count("\n")
        if lines > MAX_LINES and name not in REASONS:
            yield f"ctxkit/{name}: {lines} lines, more than {MAX_LINES}"
    for name in sorted(REASONS):
        if not (root / "ctxkit" / name).exists():
            yield f"ctxkit/{name}: does not exist"


def main() -> int:
    """Print all problems; return 1 if there are any."""
    problems = list(find_long_modules())
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
