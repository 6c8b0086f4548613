"""Planting references: to files that a real history has lost, to scripts, imports and headings that are not there."""

import re
from collections.abc import Callable, Sequence

from bench.lint.desk import Desk, Plant
from bench.lint.pool import draw

LIVES = (
    "- The importer lives in {}", "- Read {} before you change the protocol", "- Settings are loaded by {}",
    "- See {} for the details",
    "Start in {}, then follow the calls.", "- {} holds the defaults", "| Entry point | {} |",
)  # fmt: skip
PROSE = (
    "- Every dialog has yes/no buttons and an and/or filter", "- Work on branches such as `feature/login-form`",
    "- The archive of 2026/02/14 is complete", "- Read/write access needs an approval",
    "- The client speaks TCP/IP and HTTP/2", "- Use the `application/json` media type",
    "- Choose the model `openai/gpt-5-mini` for drafts", "- The route `/api/v2/orders` is public",
    "- Time zones look like `Europe/Berlin`", "- Images come from `library/postgres:16`",
)  # fmt: skip
PATTERNS = (
    "- Snapshots are matched by `tests/**/*.snap`", "- A module is `src/<name>/main.py`",
    "- Pages are `docs/{lang}/index.md`",
    "- Diaries are called `memory/YYYY-MM-DD.md`", "- Copy `templates/[name].tmpl` for a new service",
    "- Handlers are `src/*/handler.py`",
    "- Paths have the form `path/to/your/file.py`", "- Drafts are named `drafts/XX-title.md`",
)  # fmt: skip
ELSEWHERE = (
    "- Docs are at https://example.com/guides/gone/start.html", "- The hosts file is `/etc/hosts`",
    "- Keys are in `~/.config/sample/keys.toml`",
    "- Logs are written to `logs/run-42.log`", "- The build ends up in `dist/bundle.js`",
    "- Output goes to `$HOME/reports/today.md`",
    "- Temporary files go to `/tmp/sample/work.bin`", "- `C:\\Tools\\sample\\run.exe` starts it on Windows",
)  # fmt: skip
LATER = (
    "- Create `notes/plan.md` before you begin",
    "- Write your findings to `reports/findings.md` (created on demand)",
    "- If `BOOTSTRAP.local.md` exists, follow it and delete it",
)
REMOVED = (
    "- {} was deleted; use `src/app/main.py` instead",
    "- There is no {} any more",
    "- Do not bring back {}, which was removed on purpose",
    "- ~~{}~~ was replaced by `src/app/main.py`",
)
SCRIPTS = (
    "npm run deploy", "npm run e2e", "make release", "make image", "just ship", "just nightly", "poe migrate",
    "pnpm run preview",
)
THERE = (
    "- `npm run build` compiles, `npm test` tests", "- Run `make check` before a release", "- `just bench` measures",
    "- `poe serve` starts it",
    "- Please make sure that nothing is lost", "- If in doubt, just ask", "- `npm install` and `npm ci` set it up",
    "- `make -j4 docs` builds the pages",
    "- You can make it faster, or just wait", "- `npx vitest --run` needs no script",
)  # fmt: skip
MENTIONS = (
    "- Ping @marta when it is done", "- Types come from `@types/node`", "- Write to ops@example.com",
    "- `@docs/example.md` imports a file", "- The decorator @property has no arguments",
    "- Install @scope/package first",
)
IMPORTERS = ("CLAUDE.md", "packages/api/CLAUDE.md", ".claude/rules/style.md")


def _document(desk: Desk) -> str:
    return desk.chance.choice([path for path in desk.documents() if path != "MEMORY.md"])


def _path(desk: Desk) -> str:
    taken = {*desk.gone, *desk.moved, *desk.moved.values(), *desk.other, *desk.sheets}
    while True:
        path = draw("path", desk.chance).strip("`")
        name = path.rsplit("/", 1)[-1].replace(".", f"_{len(desk.plants)}.")
        path = f"{path.rsplit('/', 1)[0]}/{name}"
        if path not in taken:
            return path


def _refer(desk: Desk, plant: Plant, shown: str) -> None:
    form = desk.chance.choice(LIVES)
    if form.startswith("|"):
        sheet = desk.sheets[_document(desk)]
        sheet.end(["| What | Where |", "| --- | --- |"], None)
        sheet.rows.append((form.format(shown), (plant.name, 0)))
    else:
        desk.put(_document(desk), [form.format(shown)], plant)


def delete(desk: Desk) -> None:
    """Refer to a file that was deleted."""
    path = _path(desk)
    desk.gone[path] = "gone\n"
    link = desk.chance.random() < 0.25
    plant = desk.plant("stale", "deleted, linked" if link else "deleted", ("REF001", "REF005") if link else ("REF001",))
    _refer(desk, plant, f"[the source]({path})" if link else f"`{desk.chance.choice(('', '', './'))}{path}`")


def rename(desk: Desk) -> None:
    """Refer to a file by the name that it had."""
    path = _path(desk)
    desk.moved[path] = f"moved/{path.replace('/', '-')}"
    _refer(desk, desk.plant("stale", "renamed", ("REF001",)), f"`{path}`")


def folder(desk: Desk) -> None:
    """Refer to a folder whose files were all deleted."""
    name = f"retired{len(desk.plants)}/parts"
    desk.gone |= {f"{name}/{part}.py": f"{part}\n" for part in ("one", "two")}
    _refer(desk, desk.plant("stale", "folder", ("REF001",)), f"`{name}/`")


def unstale(desk: Desk) -> None:
    """Plant what looks like a path and is none, or is one that is right."""
    chance, path = desk.chance, _path(desk)
    kind = chance.choice(
        ("prose", "pattern", "elsewhere", "later", "removed", "ignored", "deeper", "there", "back again", "in code")
    )
    fixed: dict[str, Sequence[str]] = {"prose": PROSE, "pattern": PATTERNS, "elsewhere": ELSEWHERE, "later": LATER}
    lines = fixed.get(kind)
    shown = desk.once(lines) if lines else path
    plant = desk.plant("unstale", kind, quiet=("REF001",))
    if lines:
        desk.put(_document(desk), [shown], plant)
        return
    if kind == "removed":
        desk.gone[path] = "gone\n"
        desk.put(_document(desk), [chance.choice(REMOVED).format(f"`{path}`")], plant)
        return
    if kind == "ignored":  # was committed once, is made on each machine now
        shown = f"settings{len(desk.plants)}.local.json"
        desk.gone[shown] = "{}\n"
    elif kind == "deeper":
        desk.other[f"deep/down/{path}"] = "here\n"
    else:
        desk.other[path] = "here\n"
        if kind == "back again":
            desk.gone[path] = "older\n"
    if kind == "in code":
        desk.gone[f"{path}.orig"] = "gone\n"
        desk.put(_document(desk), ["```diff", f"--- {path}.orig", f"+++ {path}", "```"], plant)
    else:
        _refer(desk, plant, f"`{shown}`")


def script(desk: Desk) -> None:
    """Tell the reader to run a script that no build file has."""
    form = desk.chance.choice(("- Run `{}` after the merge", "- `{}` publishes the result", "Then call `{}`."))
    line = form.format(desk.once(SCRIPTS))
    desk.put(_document(desk), [line], desk.plant("script", "missing", ("REF003",)))


def no_script(desk: Desk) -> None:
    """Plant scripts that are there, and prose with the names of their runners."""
    line = desk.once(THERE)
    desk.put(_document(desk), [line], desk.plant("unscript", "there or prose", quiet=("REF003",)))


def check_imported(desk: Desk) -> None:
    """Import a file that is not there."""
    homes = [path for path in IMPORTERS if path in desk.documents()]
    if homes:
        plant = desk.plant("import", "missing", ("REF004",))
        desk.put(desk.chance.choice(homes), [f"@docs/missing-{len(desk.plants)}.md"], plant)


def mention(desk: Desk) -> None:
    """Plant mentions that are no imports."""
    homes = [path for path in IMPORTERS if path in desk.documents()]
    if homes:
        line = desk.once(MENTIONS)
        desk.put(desk.chance.choice(homes), [line], desk.plant("unimport", "mention", quiet=("REF004",)))


def dead_link(desk: Desk) -> None:
    """Link to a file or a heading that was never there."""
    number = len(desk.plants)
    kind, target = desk.chance.choice((("file", f"docs/none-{number}.md"), ("anchor", f"#no-such-part-{number}")))
    desk.put(_document(desk), [f"- Read [the part about it]({target})"], desk.plant("link", kind, ("REF005",)))


def live_link(desk: Desk) -> None:
    """Link to what is there: a heading, a file, a page, an address."""
    path = _document(desk)
    headings = [row for row, _ in desk.sheets[path].rows if re.match(r"## [\w ]+$", row, re.ASCII)]
    targets = ["https://example.com/a#b", "mailto:ops@example.com", "<https://example.com>"]
    desk.other["docs/real.md"] = "# Real\n\n## First part\n"
    if "/" not in path:
        targets += ["docs/real.md", "docs/real.md#first-part", "./docs/real.md"]
    if headings:
        targets += [f"#{headings[0][3:].strip().lower().replace(' ', '-')}"] * 2
    plant = desk.plant("unlink", "live", quiet=("REF005",))
    desk.put(path, [f"- Read [more]({desk.chance.choice(targets)})"], plant)


PLANTERS: tuple[tuple[Callable[[Desk], None], int], ...] = (
    (delete, 3), (rename, 2), (folder, 1), (unstale, 8), (script, 2), (no_script, 2), (check_imported, 1), (mention, 1),
    (dead_link, 1),
    (live_link, 1),
)  # fmt: skip
"""What is planted in a workspace, and how often."""
