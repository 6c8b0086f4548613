"""Inputs whose kind is known by where they come from, gathered once and kept: ``python -m bench.brief.inputs``.

They are files of this machine by their extension, what commands print here, fixtures of jc (``CTXKIT_JC``) and
LogHub (``CTXKIT_LOGHUB``), the corpora, and the logs of the suites ``run`` and ``lint``. Half of each source is held
out, by a hash of its name, so that rules are never tuned on it.
"""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from glob import glob
from hashlib import sha256

from bench.brief.cases import cache

SMALLEST, LARGEST = 600, 400_000
"""Bytes of a file that is taken; source code has to be three times as large, for small files are but licences."""
EACH = 8
"""Files of one extension, or fixtures of one command, that are taken."""
ROOTS = ("/usr/lib", "/usr/share", "/usr/include", "/etc")
"""Where files are looked for, besides the packages of the bench cache."""
EXTENSIONS = {
    **dict.fromkeys(("py", "js", "ts", "go", "rs", "c", "h", "cpp", "java", "rb", "php", "sh", "pl"), "source"),
    **dict.fromkeys(("md", "markdown"), "markdown"),
    **dict.fromkeys(("html", "htm"), "html"),
    **dict.fromkeys(("xml", "svg", "xsd"), "xml"),
    **dict.fromkeys(("yaml", "yml"), "yaml"),
    **dict.fromkeys(("diff", "patch"), "diff"),
    **dict.fromkeys(("csv", "tsv"), "csv"),
    **dict.fromkeys(("png", "gz", "so", "pyc", "gif", "ttf", "whl"), "binary"),
    "json": "json",
    "ipynb": "json notebook",
    "rst": "manual",
    "toml": "text",
    "jsonl": "jsonl",
}
"""Kinds by extension; several, parted by blanks, where any of them is right."""
PLAIN = "text records"
"""Kinds of what commands print as names and values, or in blocks."""
FIXTURES = (
    (r"ls-(?:al?R?h?|lR|R|l-iso|alh|al)$|find$|du$", "listing"),
    (r"git-log.*", "history"),
    (r"(?:ps-(?:axu|ef)|df|df-h|lsof|systemctl|systemctl-luf|lsmod|pip-list|route|lsblk|netstat-rn)$", "table"),
    (r"(?:syslog-3164|syslog-5424|common-log-format)$", "log"),
    (r"(?:dmidecode|ifconfig|mount|ping-ip-O|ping-hostname-O|traceroute\d|dig|lsusb.*|zpool-status.*)$", PLAIN),
    (r"csv-(?:10k|biostats|cities|flyrna|homes|insurance).*", "csv"),
    (r"ini-(?:iptel|maria|test).*", "text"),
    (r"toml-.*", "text"),
    (r"yaml-.*", "yaml"),
    (r"xml-.*", "xml"),
)
"""Kinds by the name of a fixture of jc, which is that of a command."""
CORPORA = {
    **dict.fromkeys(("ls-R", "ls-laR", "du", "find-list", "zipinfo"), "listing"),
    **dict.fromkeys(("git-log", "git-log-stat", "git-blame"), "history"),
    **dict.fromkeys(("ps", "lsof", "systemctl"), "table"),
    **dict.fromkeys(("git-diff", "git-diff-small"), "diff"),
    **dict.fromkeys(("mypy", "javac-errors"), "diagnostics"),
    **dict.fromkeys(("json-api", "npm-ls-json", "pip-list.json", "claude-trace"), "json har"),
    **dict.fromkeys(("terraform-apply.txt", "terraform-plan-ansi.txt"), "text"),
    **dict.fromkeys(("dmidecode", "lsusb", "ifconfig", "airport-iw", "mount-df", "ping", "env"), PLAIN),
    **dict.fromkeys(("claude-code-jsonl", "pi-jsonl", "codex-rollout"), "jsonl"),
    **dict.fromkeys(("swe-agent-traj", "openhands-json", "multiagent-chat-json"), "json"),
    "grep-rn": "search",
    "kubectl-help.txt": "manual",
    "syslog": "log",
    "lockfile": "yaml lock",
    "http-cassette-yaml": "yaml records",
    "cjk-md": "markdown",
    "cjk-json": "json",
    "dpkg": "table",
    "rsync": "log text",
}
"""Kinds by what the manifest of the corpora says a file is."""
COMMANDS = {
    "listing": (
        "ls -la /usr/bin", "ls -lR /etc", "find /usr/include -name '*.h'", "find /usr/share/doc -maxdepth 1",
        "du /usr/share", "ls -R /usr/lib/python3", "du -ah /etc", "tar tvf $(ls $CACHE/python/*/*.tar.gz | head -1)",
    ),
    "table": (
        "ps aux", "ps -ef", "df -h", "pip list", "lsmod", "df -i", "ps -eo pid,ppid,user,comm", "cat /proc/net/dev",
    ),
    "history": (
        "git log -60", "git log --stat -30", "git log --oneline -200", "git log --graph --oneline -200",
        "git blame README.md", "git log --format=fuller -40", "git status",
    ),
    "diff": ("git show HEAD", "git diff HEAD~8 HEAD~7", "diff -u pyproject.toml README.md", "git diff HEAD~3"),
    "search": (
        "grep -rn import ctxkit",
        "grep -rnC2 'def ' bench",
        "grep -n def bench/brief/*.py",
        "git grep -n Error",
        "grep -rn Copyright /usr/share/doc",
    ),
    "manual": (
        "man ls", "man git-log", "man tar", "tar --help", "git help -a", "python3 --help", "pip install --help",
        "docker --help", "kubectl --help", "cargo --help", "man bash", "man find", "gcc --help", "man 7 signal",
        "curl --help all", "grep --help", "node --help", "ruff check --help", "man ssh", "rsync --help",
    ),
    "diff history": ("git log -p -4", "git log -p --oneline -3"),
    "log text records": ("cat /var/log/apt/history.log",),
    PLAIN: (
        "env",
        "sysctl -a",
        "cat /proc/cpuinfo",
        "cat /proc/meminfo",
        "git config -l",
    ),
    "hexdump": ("xxd /bin/ls | head -500",),
    "text": ("pip install --dry-run --no-deps flask requests click rich", "make -n -p", "cargo new /tmp/none/x"),
    "log": ("cat /var/log/dpkg.log", "cat /var/log/alternatives.log", "dmesg"),
    "csv": ("cat /usr/share/distro-info/debian.csv", "cat /usr/share/distro-info/ubuntu.csv"),
}
"""Commands by the kind of what they print; one that fails or prints little is left out."""
RUNNERS = {
    "go": "go test",
    "go-json": "go test",
    "cargo": "cargo test",
    "nextest": "cargo nextest",
    "junit": "junit xml",
    "mocha-tap": "tap",
}


@dataclass(frozen=True, slots=True)
class Input:
    """Hold an input, the kinds of which any is right, and its name, empty where it has none."""

    source: str
    kinds: tuple[str, ...]
    data: bytes
    name: str = ""
    trap: bool = False

    @property
    def held_out(self) -> bool:
        """Tell whether no rule may be tuned on it."""
        return sha256(self.source.encode()).digest()[0] % 2 == 1


def inputs() -> Iterator[Input]:
    """Yield every input that is kept."""
    root = os.path.join(cache(), "det")
    for path in sorted(glob(os.path.join(root, "*.json"))):
        with open(path, encoding="utf-8") as file:
            kept = json.load(file)
        with open(path.removesuffix(".json") + ".bin", "rb") as content:
            yield Input(kept["source"], tuple(kept["kinds"]), content.read(), kept["name"])


def gather() -> None:
    """Keep what is there of all sources, and say on stderr how many of each kind."""
    root = os.path.join(cache(), "det")
    os.makedirs(root, exist_ok=True)
    counts: Counter[str] = Counter()
    for source in (_files, _print_outline, _fixtures, _corpora, _logs, _runs):
        for item in source():
            counts[item.kinds[0]] += 1
            path = os.path.join(root, sha256(item.source.encode()).hexdigest()[:16])
            with open(f"{path}.bin", "wb") as content:
                content.write(item.data)
            with open(f"{path}.json", "w", encoding="utf-8") as file:
                json.dump({"source": item.source, "kinds": item.kinds, "name": item.name}, file)
    print(counts, file=sys.stderr)


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read(LARGEST)


def _files() -> Iterator[Input]:
    """Yield files by extension, no two of one directory."""
    table: dict[str, list[str]] = {extension: [] for extension in EXTENSIONS}
    for top in (*ROOTS, os.path.join(cache(), "sources"), os.path.join(cache(), "tools", "node")):
        for folder, folders, names in os.walk(top):
            folders[:] = [name for name in folders if name != "unicore"]  # tables that happen to end in .pl
            fitting = [name for name in names if "." in name and name.rpartition(".")[2] in EXTENSIONS]
            for name in sorted(fitting)[:2]:
                table[name.rpartition(".")[2]].append(os.path.join(folder, name))
    for extension, paths in table.items():
        paths.sort(key=lambda path: sha256(path.encode()).digest())
        taken = 0
        for path in paths:
            least = SMALLEST * (3 if EXTENSIONS[extension] == "source" else 1)
            if taken < EACH and os.path.isfile(path) and least <= os.path.getsize(path) <= LARGEST:
                taken += 1
                name = os.path.basename(path)
                yield Input(path, tuple(EXTENSIONS[extension].split()), _read(path), name)


def _print_outline() -> Iterator[Input]:
    place = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    env = {**os.environ, "MANPAGER": "cat", "PAGER": "cat", "COLUMNS": "100", "CACHE": os.path.join(cache(), "sources")}
    env["PATH"] = os.path.dirname(sys.executable) + os.pathsep + env.get("PATH", "")
    for kind, commands in COMMANDS.items():
        for command in commands:
            try:
                ran = subprocess.run(
                    command, shell=True, cwd=place, env=env, stdout=-1, stderr=-2, stdin=-3, timeout=60, check=False
                )
            except subprocess.TimeoutExpired:
                continue
            if ran.returncode in (0, 1) and len(ran.stdout) > SMALLEST:
                yield Input(f"$ {command}", tuple(kind.split()), ran.stdout[:LARGEST])


def _fixtures() -> Iterator[Input]:
    root = os.environ.get("CTXKIT_JC") or os.path.join(cache(), "jc")
    taken: Counter[str] = Counter()
    for path in sorted(glob(os.path.join(root, "tests", "fixtures", "*", "*"))):
        stem, _, extension = os.path.basename(path).rpartition(".")
        kind = next((kind for rule, kind in FIXTURES if re.fullmatch(rule, stem)), "")
        rule = re.sub(r"[-\d].*", "", stem)
        if kind and extension != "json" and os.path.getsize(path) >= SMALLEST and taken[rule] < EACH:
            taken[rule] += 1
            named = os.path.basename(path) if extension != "out" else ""
            yield Input(f"jc {path[len(root) :]}", (kind,), _read(path), named)


def _corpora() -> Iterator[Input]:
    place = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    root = os.environ.get("CTXKIT_CORPORA") or os.path.join(place, "..", "shared", "corpora")
    manifest = os.path.join(root, "manifest.jsonl")
    if not os.path.exists(manifest):
        return
    taken: Counter[str] = Counter()
    with open(manifest, encoding="utf-8") as file:
        for row in map(json.loads, file):
            kind = CORPORA.get(row["subkind"], "")
            taken[row["subkind"]] += 1
            if kind and taken[row["subkind"]] <= EACH:
                named = "" if row["path"].endswith((".txt", ".out")) else os.path.basename(row["path"])
                kind = EXTENSIONS.get(named.rpartition(".")[2], kind) if row["kind"] == "sessions" else kind
                yield Input(
                    f"corpora {row['path']}", tuple(kind.split()), _read(os.path.join(root, row["path"])), named
                )


def _logs() -> Iterator[Input]:
    root = os.environ.get("CTXKIT_LOGHUB") or os.path.join(cache(), "loghub")
    for path in sorted(glob(os.path.join(root, "*", "*_2k.log"))):
        yield Input(f"loghub {os.path.basename(path)}", ("log",), _read(path), os.path.basename(path))
    for path in sorted(glob(os.path.join(root, "*", "*_structured.csv")))[:6]:
        yield Input(f"loghub {os.path.basename(path)}", ("csv",), _read(path), os.path.basename(path))


def _runs() -> Iterator[Input]:
    taken: Counter[str] = Counter()
    for path in sorted(glob(os.path.join(cache(), "runs", "*.log"))):
        with open(path.removesuffix(".log") + ".json", encoding="utf-8") as file:
            runner = json.load(file)["runner"]
        taken[runner] += 1
        if taken[runner] <= EACH:
            yield Input(f"run {os.path.basename(path)}", (RUNNERS.get(runner, runner),), _read(path))
    for path in sorted(glob(os.path.join(cache(), "lint", "*.log"))):
        tool = os.path.basename(path).partition("-")[0]
        taken[tool] += 1
        if taken[tool] <= EACH and os.path.getsize(path) >= SMALLEST:
            yield Input(f"lint {os.path.basename(path)}", ("diagnostics",), _read(path))


if __name__ == "__main__":
    gather()
