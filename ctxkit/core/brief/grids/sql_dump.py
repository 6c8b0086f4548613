"""A reader of SQL dumps: the tables, their rows, and the other statements."""

import re
from collections.abc import Iterable

from ctxkit.core.brief.grids.fields import name_columns
from ctxkit.core.brief.grids.grid import Grid
from ctxkit.core.brief.grids.sql_rows import is_inside_string, split_rows
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import dataclass, field
from ctxkit.core.text.lines import IndexedLines

_WORD = r"(?:[\w$]+|\"[^\"\n]{1,120}\"|`[^`\n]{1,120}`|\[[^\]\n]{1,120}\])"
_NAME = rf"({_WORD}(?:\.{_WORD}){{0,2}})"
INSERT = compile_lazily(
    rf"(?:INSERT|REPLACE)(?: +OR +\w+| +IGNORE)? +INTO +{_NAME}\s*+(?:\(([^()]{{0,4000}})\)\s*+)?"
    r"(?:OVERRIDING +\w+ +VALUE\s+)?(?:VALUES?|$)\s*",
    re.IGNORECASE,
)
COPY = compile_lazily(rf"COPY +{_NAME}\s*+(?:\(([^()]{{0,4000}})\)\s*+)?FROM +stdin", re.IGNORECASE)
CREATE = compile_lazily(rf"CREATE +(?:UNLOGGED +|TEMP(?:ORARY)? +)?TABLE +(?:IF +NOT +EXISTS +)?{_NAME}", re.IGNORECASE)
STATEMENT = compile_lazily(
    r"(?:CREATE|ALTER|DROP|PRAGMA|SET|LOCK|UNLOCK|GRANT|COMMENT|SELECT|DELETE|UPDATE)\b", re.IGNORECASE
)
COLUMN = compile_lazily(r"\s*(\"[^\"]+\"|`[^`]+`|\[[^\]]+\]|\w+)")
NO_COLUMNS = frozenset(("PRIMARY", "UNIQUE", "CONSTRAINT", "FOREIGN", "CHECK", "KEY", "INDEX", "FULLTEXT", "EXCLUDE"))
MAX_TABLES = 500
"""Maximum number of tables that are told apart."""
MAX_STATEMENT = 1 << 20
"""Maximum number of characters of one statement that are joined."""
MAX_STATEMENTS = 200
"""Maximum number of other statements that are stored."""


@dataclass(slots=True)
class DumpedTable:
    """Hold one table: its name, the line that creates it, its columns and its rows."""

    name: str
    created: int = 0
    columns: list[str] = field(default_factory=list)
    grid: Grid | None = None
    rows: int = 0

    def add_rows(self, rows: list[list[str]], numbers: list[int]) -> None:
        """Add rows with their lines."""
        if not rows:
            return
        if self.grid is None:
            width = len(rows[0])
            names = self.columns if len(self.columns) == width else []
            self.grid = Grid(list(name_columns(names, width)))
        self.grid.add_rows(rows, numbers)
        self.rows += len(rows)


class SqlDump:
    """Read a dump line by line."""

    def __init__(self) -> None:
        self.tables: dict[str, DumpedTable] = {}
        self.statements: list[tuple[int, str]] = []
        self.statement_count = 0
        self.data_lines = 0
        self._open: DumpedTable | None = None
        self._mode = ""
        self._text = ""
        self._begin = 0
        self._quoted = False
        self._batch: tuple[list[list[str]], list[int]] = ([], [])

    def read(self, lines: IndexedLines) -> "SqlDump":
        """Read all lines of a document."""
        return self.read_rows(lines.enumerate_lines())

    def read_rows(self, rows: Iterable[tuple[int, str]]) -> "SqlDump":
        """Read numbered lines."""
        for number, line in rows:
            self._add_line(number, line)
        self._flush()
        return self

    def _add_line(self, number: int, line: str) -> None:
        if self._mode == "copy":
            self._add_copied(number, line)
        elif self._mode == "insert":
            self._add_values(number, line)
        elif self._mode == "create":
            self._add_columns(line)
        elif line[:1].isalpha():
            self._begin_statement(number, line)

    def _begin_statement(self, number: int, line: str) -> None:
        insert = INSERT.match(line)
        copy = None if insert else COPY.match(line)
        head = insert or copy
        if head:
            self._enter(head[1])
            if self._open and head[2] and not self._open.columns:
                self._open.columns = [clean_name(part) for part in head[2].split(",")]
            self._mode = "insert" if insert else "copy"
            if insert:
                self._add_values(number, line[insert.end() :])
            return
        create = CREATE.match(line)
        if create:
            self._create(number, create[1], line[create.end() :])
        elif STATEMENT.match(line):
            self.statement_count += 1
            if len(self.statements) < MAX_STATEMENTS:
                self.statements.append((number, line))

    def _enter(self, name: str) -> None:
        """Turn to a table, after the rows of the table before."""
        key = clean_name(name)
        if self._open is None or self._open.name != key:
            self._flush()
            if key not in self.tables and len(self.tables) < MAX_TABLES:
                self.tables[key] = DumpedTable(key)
            self._open = self.tables.get(key)

    def _create(self, number: int, name: str, rest: str) -> None:
        self._enter(name)
        if self._open and not self._open.created:
            self._open.created = number
            if "(" in rest and rest.rstrip().endswith(";"):
                parts = _split_definitions(rest[rest.index("(") + 1 :])
                self._open.columns = [column for part in parts if (column := read_column(part))]
            elif not rest.rstrip().endswith(";"):
                self._mode = "create"

    def _add_columns(self, line: str) -> None:
        """Read a line of a CREATE TABLE of several lines."""
        text = line.strip()
        if text.startswith(")") or text.endswith(";"):
            self._mode = ""
        elif self._open and text != "(" and (column := read_column(text)):
            self._open.columns.append(column)

    def _add_copied(self, number: int, line: str) -> None:
        self.data_lines += 1
        if line == "\\.":
            self._mode = ""
        elif self._open:
            self._add_row(["" if cell == "\\N" else cell for cell in line.split("\t")], number)

    def _add_values(self, number: int, line: str) -> None:
        self.data_lines += 1
        if self._quoted:
            self._text += f"\n{line}"
        else:
            self._text, self._begin = line, number
        self._quoted ^= is_inside_string(line)
        if self._quoted and len(self._text) < MAX_STATEMENT:
            return
        self._quoted = False
        text, self._text = self._text, ""
        for place, values in split_rows(text):
            self._add_row(values, self._begin + text.count("\n", 0, place) if "\n" in text else self._begin)
        if text.rstrip().endswith(";") or not (text.strip() == "" or text.lstrip().startswith(("(", ","))):
            self._mode = ""

    def _add_row(self, values: list[str], number: int) -> None:
        rows, numbers = self._batch
        rows.append(values)
        numbers.append(number)
        if len(rows) >= 2_000:
            self._flush()

    def _flush(self) -> None:
        if self._open and self._batch[0]:
            self._open.add_rows(*self._batch)
        self._batch = ([], [])


def clean_name(name: str) -> str:
    """Return a name without quotes."""
    return re.sub(r"[\"`\[\]]", "", name).strip()


def read_column(text: str) -> str:
    """Return the name that a column definition begins with, or an empty string for a constraint."""
    match = COLUMN.match(text)
    return "" if match is None or match[1].upper() in NO_COLUMNS else clean_name(match[1])


def _split_definitions(text: str) -> list[str]:
    """Return the parts of a list in parentheses, divided at commas on its own level."""
    parts: list[str] = []
    depth = begin = 0
    for at, char in enumerate(text):
        if char == "(":
            depth += 1
        elif char == ")":
            depth -= 1
            if depth < 0:
                return [*parts, text[begin:at]]
        elif char == "," and depth == 0:
            parts.append(text[begin:at])
            begin = at + 1
    return [*parts, text[begin:]]
