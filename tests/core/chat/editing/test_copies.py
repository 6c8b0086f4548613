"""What a session keeps of a result a second time is found."""

from ctxkit.core.chat.editing.copies import find_copies

TEXT = "\n".join(f"line {at} of the output" for at in range(9))
NUMBERED = "\n".join(f"{at:6}→line {at} of the output" for at in range(9))


def found(value, text=TEXT):
    return find_copies(value, text, ("kept",))


def test_the_same_a_part_and_a_whole_are_copies() -> None:
    assert found(TEXT) == (("kept",),)
    assert found({"stdout": f"{TEXT}\n", "stderr": ""}) == (("kept", "stdout"),)
    assert found({"content": [{"type": "text", "text": TEXT[:100]}]}) == (("kept", "content", 0, "text"),)
    assert found({"output": f"{TEXT}\nand what was cut"}) == (("kept", "output"),)


def test_a_file_is_a_copy_of_its_numbered_lines() -> None:
    assert found({"type": "text", "file": {"content": TEXT, "filePath": "/a"}}, NUMBERED) == (("kept", "file", "content"),)


def test_short_texts_and_others_are_no_copies() -> None:
    assert found({"status": "ok", "path": "line 1 of the output"}) == ()
    assert found({"original": "\n".join(f"something else {at}" for at in range(9))}) == ()
    assert found({"stdout": "ok"}, "ok") == ()
    assert found(None) == ()
