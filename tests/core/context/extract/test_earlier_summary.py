from ctxkit.core.context.extract.earlier_summary import find_summary_items
from tests.core.context.talk import records_of

SUMMARY = """\
## Goal
Ship the parser of rows.

## Progress
### Done
- [x] The lexer of src/lex.py is written.
### In Progress
- [ ] The parser of src/parse.py is half done.

## Key Decisions
- **No regex**: never use regular expressions there.

<modified-files>
src/lex.py
src/parse.py
</modified-files>
"""


def test_the_sections_of_a_summary_of_others_are_read() -> None:
    lines = [
        {"type": "session", "version": 3, "id": "s", "cwd": "/x"},
        {"type": "message", "id": "1", "parentId": None, "message": {"role": "user", "content": "old"}},
        {"type": "compaction", "id": "2", "parentId": "1", "summary": SUMMARY, "firstKeptEntryId": "3", "tokensBefore": 9},
        {"type": "message", "id": "3", "parentId": "2", "message": {"role": "user", "content": "go"}},
    ]
    items = {(item.section, item.forms[0]) for item in find_summary_items(records_of(lines))}
    assert items == {
        ("Facts", "Changed before: src/lex.py, src/parse.py."),
        ("Task", "Ship the parser of rows."),
        ("Facts", "The lexer of src/lex.py is written."),
        ("Pending", "The parser of src/parse.py is half done."),
        ("Decisions", "**No regex**: never use regular expressions there."),
    }


def test_where_there_is_none_nothing_is_told() -> None:
    assert list(find_summary_items(records_of([{"role": "user", "content": "x"}]))) == []
