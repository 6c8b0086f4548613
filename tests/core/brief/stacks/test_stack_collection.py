from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.stacks.stack_collection import read_stacks
from ctxkit.core.text import lines


def read(text):
    content = lines.lines_from_bytes(text.encode())
    return read_stacks(InputDocument(content, content.read, len, 2_000))


THREAD = 'Thread 0x{} (most recent call first):\n  File "/src/a.py", line {} in {}\n\n'


def test_threads_with_the_same_functions_form_a_group() -> None:
    stacks = read("".join(THREAD.format(n, 3, "work" if n != 4 else "poll") for n in range(9)))
    assert sorted(group.count for group in stacks.groups.values()) == [1, 8]
    assert stacks.counts == {"thread": 9}


def test_notable_lines_that_differ_in_numbers_are_counted_together() -> None:
    stacks = read("==1==ABORTING\n" + "\n".join(f"SUMMARY: AddressSanitizer: {n} byte(s) leaked" for n in range(3)))
    [note] = stacks.notes.values()
    assert (note.number, note.last, note.count) == (2, 4, 3)
