"""Sessions made here: the tools of several agents at work on made-up projects, with real tool output in between."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from bench.compact.said import Did, Said

AREAS = (
    *("auth", "billing", "cache", "export", "ingest", "layout"),
    *("mailer", "metrics", "queue", "search", "sync", "users"),
)
PARTS = (
    *("client", "errors", "handlers", "index", "models", "parser"),
    *("routes", "schema", "store", "utils", "views"),
)
ENDINGS = (".py", ".ts", ".go", ".rs", ".tsx", ".java", ".rb")
REQUESTS = (
    "The {area} page times out for customers with more than {number} orders. Find out why and fix it.",
    "Please move the retry logic of {area} into its own module and cover it with tests.",
    "Add an option to {area} that skips rows older than {number} days.",
    "Users report that {path} raises a KeyError when the header is missing. Can you reproduce and fix this?",
    "Upgrade the {area} code to the v{number} API, and keep the old endpoint working until March.",
    "Why does the {area} job run twice after a deploy? Fix the cause, not the symptom.",
    "Bitte die Fehlermeldungen in {path} auf Englisch umstellen und die Tests anpassen.",
    "把 {path} 里的超时时间改成 {number} 秒，并补上测试。",
    "Write a migration that renames the column total to amount in {area}, with a rollback.",
    "Speed up {path}: it must parse {number} MB in under two seconds.",
)
BOUNDS = (
    "Don't touch the files under vendor/.", "Never commit directly to main.",
    "Always run the linter before you say that you are done.", "You must keep Python 3.{number} compatibility.",
    "Use only the standard library for this.", "Do not change the public API of {area}.",
    "Make sure that the old configuration files still load.", "Avoid adding new dependencies.",
    "Please use pnpm instead of npm.", "No mocks in the tests, only real databases.",
)
STEPS = (
    "Reproduce the failure with a test", "Read how {area} handles errors", "Fix {path}", "Add tests for {path}",
    "Update the changelog", "Run the whole suite", "Measure the time before and after", "Document the new option",
)
FAILURES = (
    ("npm test -- {area}", 'Error: expected 200 "OK", got 500 "Internal Server Error" in {area}.spec', 1),
    ("cargo build -p {area}", "error[E0308]: mismatched types in src/{area}/lib.rs", 101),
    ("go test ./internal/{area}/...", "--- FAIL: Test{Area}Timeout (0.{number}s)", 1),
    ("pytest tests/test_{area}.py -x", "FAILED tests/test_{area}.py::test_limit - AssertionError: {number}", 1),
    ("make lint-{area}", "make: *** [Makefile:{number}: lint-{area}] Error 2", 2),
    ("psql -f migrations/{number}_{area}.sql", 'ERROR:  relation "{area}_total" does not exist', 3),
    ("tsc --noEmit -p {area}", "src/{area}/index.ts({number},7): error TS2339: Property 'total' does not exist", 2),
)
PASSES = ("git status --short", "git log --oneline -5", "ls -la src/{area}", "wc -l {path}", "python -V", "df -h /")
CONCLUSIONS = (
    "Done. {path} now waits {number} ms between tries; {number2} tests pass, build {hash}.",
    "The cause was a missing index: the query went from {number} ms to {number2} ms. See {path}.",
    "I pinned the client to {number}.{number2}.1 and released it as {hash}.",
)


@dataclass(frozen=True)
class Dialect:
    """Name the tools of an agent, and what their arguments are called."""

    name: str
    read: tuple[str, str]
    edit: tuple[str, str]
    write: tuple[str, str]
    shell: tuple[str, str]
    todo: tuple[str, str, str]


DIALECTS = (
    Dialect("claude", ("Read", "file_path"), ("Edit", "file_path"), ("Write", "file_path"), ("Bash", "command"),
            ("TodoWrite", "todos", "content")),
    Dialect("pi", ("read", "path"), ("edit", "path"), ("write", "path"), ("bash", "command"),
            ("todo_write", "todos", "content")),
    Dialect("codex", ("read_file", "path"), ("apply_patch", "input"), ("apply_patch", "input"), ("shell", "command"),
            ("update_plan", "plan", "step")),
    Dialect("openhands", ("str_replace_editor", "path"), ("str_replace_editor", "path"),
            ("str_replace_editor", "path"), ("execute_bash", "command"), ("todo_update", "items", "title")),
    Dialect("editor", ("read_file", "target_file"), ("edit_file", "target_file"), ("create_file", "target_file"),
            ("run_terminal_cmd", "command"), ("todo_write", "todos", "content")),
)  # fmt: skip


class Maker:
    """Make one session of a dialect from a seed; ``outputs`` are what tools returned elsewhere."""

    def __init__(self, seed: int, outputs: Sequence[str]) -> None:
        self.random = Random(seed)
        self.dialect = DIALECTS[seed % len(DIALECTS)]
        self.outputs = outputs
        self.rows: list[Said] = []
        self.root = self.random.choice(("", "/home/dev/shop/", "/workspace/", "./"))
        self.calls = 0

    def session(self, rounds: int) -> list[Said]:
        """Return a session of so many requests."""
        self.rows = [Said("system", "You are a coding agent. You work in a shell. Be brief.")]
        for number in range(rounds):
            self._round(last=number == rounds - 1)
        return self.rows

    def _fill(self, text: str, path: str = "") -> str:
        area = self.random.choice(AREAS)
        number, other = self.random.randint(11, 999), self.random.randint(11, 99)
        return (
            text.replace("{area}", area)
            .replace("{Area}", area.title())
            .replace("{path}", path or self._path())
            .replace("{number2}", str(other))
            .replace("{number}", str(number))
            .replace("{hash}", f"{self.random.getrandbits(40):010x}")
        )

    def _path(self) -> str:
        area, name = self.random.choice(AREAS), self.random.choice(PARTS)
        return f"{self.root}src/{area}/{name}{self.random.choice(ENDINGS)}"

    def _round(self, *, last: bool) -> None:
        path = self._path()
        text = self._fill(self.random.choice(REQUESTS), path)
        if self.random.random() < 0.5:
            text += " " + self._fill(self.random.choice(BOUNDS))
        self.rows.append(Said("user", text))
        steps = [self._fill(step, path) for step in self.random.sample(STEPS, self.random.randint(2, 5))]
        if self.random.random() < 0.6:
            self._plan(steps, 0)
        for number in range(self.random.randint(2, 6)):
            self._work(path)
            if self.random.random() < 0.3:
                self._plan(steps, number)
        if not last or self.random.random() < 0.5:
            self.rows.append(Said("assistant", self._fill(self.random.choice(CONCLUSIONS), path)))

    def _plan(self, steps: Sequence[str], done: int) -> None:
        name, key, item = self.dialect.todo
        states = ["completed"] * min(done, len(steps)) + ["in_progress"] + ["pending"] * len(steps)
        items = [{item: step, "status": state} for step, state in zip(steps, states, strict=False)]
        self._call(name, {key: items}, "Todos have been modified successfully.")

    def _work(self, path: str) -> None:
        draw = self.random.random()
        if draw < 0.35:
            self._read(self.random.choice((path, self._path())))
        elif draw < 0.6:
            self._edit(self.random.choice((path, self._path())), new=draw < 0.42)
        elif draw < 0.8:
            command, line, status = self.random.choice(FAILURES)
            filled = self._fill(f"{command}\0{line}")
            command, _, line = filled.partition("\0")
            tail = self.random.choice(("", f"\nexit code: {status}", f"\n<returncode>{status}</returncode>"))
            self._shell(command, f"{self._output(1500)}\n{line}{tail}", failed=True)
        else:
            self._shell(self._fill(self.random.choice(PASSES), path), self._output(3000))

    def _output(self, most: int) -> str:
        text = self.random.choice(self.outputs)
        start = self.random.randrange(max(len(text) - most, 1))
        return text[start : start + most].replace("exit code", "exit")

    def _read(self, path: str) -> None:
        name, key = self.dialect.read
        given: dict[str, Any] = {key: path}
        if self.dialect.name == "openhands":
            given = {"command": "view", **given}
        self._call(name, given, self._output(9000))

    def _edit(self, path: str, *, new: bool) -> None:
        name, key = self.dialect.write if new else self.dialect.edit
        text = self._output(600)
        if self.dialect.name == "codex":
            kind = "Add" if new else "Update"
            self._call(name, {key: f"*** Begin Patch\n*** {kind} File: {path}\n+{text}\n*** End Patch"}, "Success.")
            return
        given: dict[str, Any] = {key: path, "content": text} if new else {key: path, "old": text[:80], "new": text}
        if self.dialect.name == "openhands":
            given["command"] = "create" if new else "str_replace"
        self._call(name, given, f"The file {path} has been updated.")

    def _shell(self, command: str, output: str, *, failed: bool = False) -> None:
        name, key = self.dialect.shell
        self._call(name, {key: command}, output, failed=failed)

    def _call(self, name: str, given: dict[str, Any], output: str, *, failed: bool = False) -> None:
        self.calls += 1
        words = self.random.choice(("", "", "Let me look at that.", "Now the next step."))
        did = Did(f"c{self.calls}", name, given)
        self.rows += [Said("assistant", words, [did]), Said("tool", output, answers=did.id, failed=failed)]


def make(outputs: Sequence[str], many: int) -> Iterator[tuple[str, list[Said]]]:
    """Yield sessions by name: from a few requests to dozens."""
    for seed in range(many):
        maker = Maker(seed, outputs)
        yield f"made {seed} ({maker.dialect.name})", maker.session(3 + (seed * 7) % 23)
