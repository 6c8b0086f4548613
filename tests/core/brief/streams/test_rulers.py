from ctxkit.core.brief.streams.rulers import are_rulers_between_outputs
from ctxkit.core.brief.streams.separators import find_separated_parts
from tests.core.brief.kinds.test_table import document

OUTPUTS = "main\nother\n---\ntotal 12\ndrwxr-xr-x a\n---\n5 files changed\n---\nLinux vm 6.1\n"


def test_rulers_between_outputs_divide_them() -> None:
    stream = find_separated_parts(document(OUTPUTS))
    assert [(part.start, part.body, part.end, part.title_line) for part in stream.parts] == [
        (1, 1, 2, 0),
        (3, 4, 5, 4),
        (6, 7, 7, 7),
        (8, 9, 9, 9),
    ]


def test_frames_and_documents_are_not_divided() -> None:
    frames = "name | n\n---\na | 1\n---\nb | 2\n"
    keys = "x\n---\nkey: 1\n---\nother: 2\n"
    same = "x\n---\nrow 1\n---\nrow 2\n"
    for text in (frames, keys, same):
        lines = [number for number, row in enumerate(text.split("\n"), 1) if row == "---"]
        assert not are_rulers_between_outputs(document(text), lines)
