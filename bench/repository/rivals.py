"""Other ways to show a repository in a number of tokens: lists of files, lists of definitions, and aider's map."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from itertools import groupby

from bench.doors import cut
from bench.repository.claims import Claims, read_aider_map, read_rows
from bench.repository.truth import Symbol

AIDER = "AIDER_PYTHON"
"""Variable that names the Python of an environment with aider-chat."""
SCRIPT = """
import json, sys
root, paths, budgets, packages = json.loads(sys.stdin.read())
sys.path.append(packages)  # for the tokenizer that all are counted with
from splintr import Tokenizer
encode = Tokenizer.from_pretrained("qwen3").encode_ordinary
from aider.repomap import RepoMap
class Model:
    def token_count(self, text):
        return len(encode(text))
class Output:
    def __getattr__(self, name):
        return lambda *args, **options: None
    def read_text(self, path, silent=False):
        return open(path, encoding="utf-8", errors="replace").read()
maps = []
for budget in budgets:
    for share in (1, 0.87, 0.7, 0.5, 0.3):  # aider accepts 15 % more than it was given
        repo = RepoMap(int(budget * share), root, Model(), Output(), map_mul_no_files=1, refresh="always")
        text = repo.get_ranked_tags_map_uncached([], paths, int(budget * share)) or ""
        if len(encode(text)) <= budget:
            break
    maps.append(text)
print("MAPS" + json.dumps(maps))
"""


def list_files(paths: Sequence[str], budget: int) -> Claims:
    """Return what ``git ls-files`` says, cut to a number of tokens."""
    return read_rows((path, "", 0) for path in cut(sorted(paths), budget, end=False))


def list_recursively(paths: Sequence[str], budget: int) -> Claims:
    """Return what ``ls -R`` says, cut to a number of tokens."""
    rows: list[str] = []
    named: list[str] = []
    for folder, names in groupby(sorted(paths, key=os.path.split), os.path.dirname):
        rows += [*([""] if rows else []), f"./{folder}:"]
        named += [""] * (len(rows) - len(named))
        for path in names:
            rows.append(os.path.basename(path))
            named.append(path)
    return read_rows((path, "", 0) for path in named[: len(cut(rows, budget, end=False))] if path)


def list_tags(symbols: Sequence[Symbol], budget: int) -> Claims:
    """Return what a list of tags in order of paths says, cut to a number of tokens."""
    rows = cut([f"{symbol.path}:{symbol.line}:{symbol.name}" for symbol in symbols], budget, end=False)
    return read_rows((symbol.path, symbol.name, symbol.line) for symbol in symbols[: len(rows)])


def list_grouped_tags(symbols: Sequence[Symbol], budget: int) -> Claims:
    """Return what tags in order of paths say with each path once, cut to a number of tokens."""
    rows: list[str] = []
    for path, group in groupby(symbols, lambda symbol: symbol.path):
        for at, symbol in enumerate(group):
            rows.append(f"{path}: " * (at == 0) + f"{symbol.line} {symbol.name}")
    return read_rows((item.path, item.name, item.line) for item in symbols[: len(cut(rows, budget, end=False))])


def make_aider_maps(root: str, paths: Sequence[str], budgets: Sequence[int]) -> list[Claims] | None:
    """Return what the maps of aider say, None if ``AIDER_PYTHON`` names no Python that has it.

    aider writes a cache into ``root``.
    """
    python = os.environ.get(AIDER)
    if not python:
        return None
    packages = next(path for path in sys.path if path.endswith("site-packages"))
    whole = [os.path.join(root, path) for path in sorted(paths)]
    words = json.dumps([root, whole, list(budgets), packages])
    done = subprocess.run([python, "-c", SCRIPT], input=words, capture_output=True, text=True, cwd="/", check=False)
    answer = next((line for line in done.stdout.splitlines() if line.startswith("MAPS")), None)
    if answer is None:
        raise RuntimeError(f"aider failed: {done.stderr[-300:]}")
    return [read_aider_map(text) for text in json.loads(answer.removeprefix("MAPS"))]
