from ctxkit.core.context.extract.earlier_summary import MAX_LATER_CALLS, find_summary_facts, find_summary_items
from tests.core.context.talk import did, ran, records_of

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


def items_of(summary: str) -> list[tuple[str, str]]:
    lines = [
        {"type": "session", "version": 3, "id": "s", "cwd": "/x"},
        {"type": "compaction", "id": "2", "parentId": None, "summary": summary, "firstKeptEntryId": "3", "tokensBefore": 9},
        {"type": "message", "id": "3", "parentId": "2", "message": {"role": "user", "content": "go"}},
    ]
    return [(item.section, item.forms[0]) for item in find_summary_items(records_of(lines))]


CLAUDE_CODE = """\
<analysis>
1. Primary Request and Intent:
   Thoughts of no use.
</analysis>
<summary>
1. Primary Request and Intent:
   The user asked for a parser of rows. It must be fast.

2. Key Technical Concepts:
   - Rows are separated by a carriage return

3. Files and Code Sections:
   - src/parse.py
      - Read rows into a table
      ```python
      def parse(rows): return rows
      ```
4. Errors and fixes:
   - **Lexer error**: it failed at line 3
   - Key files modified:
      - src/lex.py lost its loop
6. All user messages:
   - "Why is it slow?"
   - Never use regular expressions
7. Pending Tasks:
   - Write the tests
8. Current Work:
   The parser reads the first row only now.
9. Optional Next Step:
   Mend the second row.
</summary>
"""


def test_the_numbered_sections_of_claude_code() -> None:
    assert items_of(CLAUDE_CODE) == [
        ("Task", "The user asked for a parser of rows."),
        ("Task", "It must be fast."),
        ("Facts", "Rows are separated by a carriage return"),
        ("Facts", "src/parse.py: Read rows into a table"),
        ("Errors", "**Lexer error**: it failed at line 3"),
        ("Errors", "Key files modified: src/lex.py lost its loop"),
        ("Decisions", "Never use regular expressions"),
        ("Pending", "Write the tests"),
        ("Facts", "The parser reads the first row only now."),
        ("Pending", "Mend the second row."),
    ]


def test_the_hand_over_of_codex() -> None:
    hand_over = """\
Another language model started to solve this problem and produced a summary of its thinking process.

**Current progress and key decisions**
- The lexer of src/lex.py is written now
**Important constraints**
- Keep the public names.
What remains to be done:
- Write the parser.
"""
    assert items_of(hand_over) == [
        ("Decisions", "The lexer of src/lex.py is written now"),
        ("Decisions", "Keep the public names."),
        ("Pending", "Write the parser."),
    ]


def test_the_condensation_of_openhands() -> None:
    condensation = """\
USER_CONTEXT: Port the tool to Python 3.
COMPLETED: The printing of rows was ported.
PENDING: Port the reader of rows
CURRENT_STATE: The tests of the printer pass now.
"""
    assert items_of(condensation) == [
        ("Task", "Port the tool to Python 3."),
        ("Facts", "The printing of rows was ported."),
        ("Pending", "Port the reader of rows"),
        ("Facts", "The tests of the printer pass now."),
    ]


def test_what_a_summary_calls_open_is_left_out_once_the_work_went_on() -> None:
    summary = "## Next steps\n- Mend the 8 failures of the tests.\n## Errors\n- The lexer fails at line 3.\n"
    assert items_of(summary) == [("Pending", "Mend the 8 failures of the tests."), ("Errors", "The lexer fails at line 3.")]
    calls = [turn for number in range(MAX_LATER_CALLS + 1) for turn in ran(f"./step {number}.sh", "done")]
    lines = [
        {"type": "session", "version": 3, "id": "s", "cwd": "/x"},
        {"type": "compaction", "id": "2", "parentId": None, "summary": summary, "firstKeptEntryId": "3", "tokensBefore": 9},
        {"type": "message", "id": "3", "parentId": "2", "message": {"role": "user", "content": "go"}},
    ]
    assert list(find_summary_items([*records_of(lines), *records_of(calls)])) == []


def test_steps_and_mended_errors_of_a_summary_are_left_out() -> None:
    summary = "## Progress\n- Dispatched the planning agent, which wrote PLAN.md.\n## Errors\n- The lexer failed; fixed in src/lex.py.\n"
    assert items_of(f"{summary}## Decisions\n- This dissolved the split of `rows`.\n") == []


def test_headings_of_files_and_bare_subjects_are_no_facts() -> None:
    summary = """\
## 2. Key Technical Concepts:
- Styled components using MUI's styled API
- Material-UI (MUI) v7.3.4 with @emotion/react and @emotion/styled

## 3. Files and Code Sections:
- `src/pages/LoginPage.tsx` (Final Version - Completely Rewritten)
  - Copied the structure of the template from `template/SignIn.tsx`
"""
    assert [text for section, text in items_of(summary) if section == "Facts"] == [
        "Material-UI (MUI) v7.3.4 with @emotion/react and @emotion/styled",
        "`src/pages/LoginPage.tsx` (Final Version - Completely Rewritten): Copied the structure of the template from `template/SignIn.tsx`",
    ]


def test_what_stands_below_a_label_is_joined_to_the_name_above_it() -> None:
    summary = "## Files\n### `src/a.tsx` (rewritten)\n- Copied the structure of the page template\n- Key changes:\n    - Added navigation to /register after a login\n### The rest\n- Kept the old tests of the login\n"
    assert ("Facts", "Kept the old tests of the login") in items_of(summary)
    assert ("Facts", "`src/a.tsx` (rewritten): Added navigation to /register after a login") in items_of(summary)
    assert ("Facts", "`src/a.tsx` (rewritten): Copied the structure of the page template") in items_of(summary)
    summary = "## Files\n- The pages of the app\n  - Key changes:\n    - Added navigation to /register after a login\n"
    assert ("Facts", "Key changes: Added navigation to /register after a login") in items_of(summary)


def test_facts_are_left_out_once_a_file_has_changed() -> None:
    summary = "## Progress\n- `src/a.py` reads the rows of the table.\n- `src/b.py` writes the rows of the table.\n"
    lines = [
        {"type": "session", "version": 3, "id": "s", "cwd": "/x"},
        {"type": "compaction", "id": "2", "parentId": None, "summary": summary, "firstKeptEntryId": "3", "tokensBefore": 9},
        {"type": "message", "id": "3", "parentId": "2", "message": {"role": "user", "content": "go"}},
    ]
    facts = ["`src/a.py` reads the rows of the table.", "`src/b.py` writes the rows of the table."]
    looked = [*records_of(lines), *records_of(did("read", {"path": "/repo/src/a.py"}, "x"))]
    assert [item.forms[0] for item in find_summary_items(looked)] == facts
    changed = [*looked, *records_of(did("edit", {"path": "/repo/src/c.py"}, "ok"))]
    assert list(find_summary_items(changed)) == []
    assert list(find_summary_facts(changed)) == facts


def test_reports_without_a_subject_or_a_name_are_left_out() -> None:
    assert items_of("## Decisions\n- Used the exact values of the template for consistency\n") == []
    assert items_of("## Progress\n- Key additions: Added a field for the password again\n- Added a field to `a.tsx` for it all\n") == [
        ("Facts", "Added a field to `a.tsx` for it all")
    ]


def items_after_work(summary: str, *later) -> list[tuple[str, str]]:
    """Return the items of a summary after which the work went on."""
    lines = [
        {"type": "session", "version": 3, "id": "s", "cwd": "/x"},
        {"type": "compaction", "id": "2", "parentId": None, "summary": summary, "firstKeptEntryId": "3", "tokensBefore": 9},
        {"type": "message", "id": "3", "parentId": "2", "message": {"role": "user", "content": "go"}},
    ]
    calls = [turn for number in range(MAX_LATER_CALLS + 1) for turn in ran(f"./step {number}.sh", "done")]
    items = find_summary_items([*records_of(lines), *records_of([*calls, *later])])
    return [(item.section, item.forms[0]) for item in items]


def test_a_state_of_a_summary_is_left_out_once_the_work_went_on() -> None:
    state, fact = "The loader in `load.py` currently handles only `min`.", "The loader in `load.py` handles only `min`."
    summary = f"## Files\n- {state}\n- {fact}\n- The plan of R1 has the status `not_started`.\n"
    assert ("Facts", state) in items_of(summary)
    assert items_after_work(summary) == [("Facts", fact)]


def test_a_rule_in_a_list_of_facts_is_a_decision() -> None:
    summary = "## Files\n- BINDING: no benchmark data in the design of algorithms.\n- Binding sites are in src/sites.py here.\n"
    assert items_of(summary) == [
        ("Decisions", "BINDING: no benchmark data in the design of algorithms."),
        ("Facts", "Binding sites are in src/sites.py here."),
    ]


def test_of_lines_that_are_counted_none_is_told_alone() -> None:
    counted = "## Progress\n- Tests were written and two bugs were fixed:\n  - `a.run` lost its status check\n  - `b.run` is `c.run` in TUI\n"
    assert items_of(counted) == []
    assert items_of(counted.replace("two ", "")) != []


def test_a_section_without_content_is_no_decision() -> None:
    assert items_of("## Constraints & Preferences\n- None specified beyond performing comprehensive reviews\n- (none)\n") == []
    assert items_of("## Constraints\n- None of the tests may be skipped.\n") != []


def test_a_status_among_the_decisions_is_left_out_once_the_work_went_on() -> None:
    summary = "## Key Decisions\n- **Gates status**: only one gate of `run.py` passes\n- **Access**: use the API of `run.py`\n"
    assert len(items_of(summary)) == 2
    assert items_after_work(summary) == [("Decisions", "**Access**: use the API of `run.py`")]


def test_the_last_request_of_the_user_is_no_fact() -> None:
    assert items_of("## Current Work\n- User's most recent request: \"copy the skills of `a` into the folder\"\n") == []


def test_an_instruction_is_no_fact() -> None:
    summary = "## Files\n- src/chat.py\n  - Return brief \"Check server logs\" detail in 503\n- Return brief `detail` in src/chat.py for 503\n- **Test isolation**: `hub` is stubbed by conftest\n"
    assert ("Facts", "**Test isolation**: `hub` is stubbed by conftest") in items_of(summary)
    assert all("Return brief" not in text or text.startswith("src/chat.py") for _, text in items_of(summary))


def test_what_there_is_among_the_constraints_is_a_fact() -> None:
    state = "Local Git branch is `master`, remote repository only has `master` branch (no `main` branch)"
    rules = ["The local branch is never to be pushed with --force.", "Default workspace is `work/`, not the root."]
    items = items_of("## Constraints & Preferences\n" + "".join(f"- {line}\n" for line in (state, *rules)))
    assert items == [("Facts", state), *(("Decisions", rule) for rule in rules)]


def test_a_state_without_a_name_is_no_fact() -> None:
    summary = "## Current state\n- Certificate scanning functionality is implemented\n- Database is set up with SQLite\n"
    assert items_of(summary) == [("Facts", "Database is set up with SQLite")]


def test_a_change_of_a_file_among_the_decisions_is_a_fact() -> None:
    done = ["Created `~/.claude/rules/lint.md` for the rules", "Updated the page `a/b.md` to reference rules"]
    rules = ["Updated rules win over old ones of `lint.md`.", "Created files must be listed in `docs/files.md`."]
    lines = "\n".join(f"- {line}" for line in [*done, *rules])
    assert items_of(f"## Key Decisions\n{lines}") == [*(("Facts", line) for line in done), *(("Decisions", line) for line in rules)]
