from ctxkit.core.lint.document.parse import parse_document
from ctxkit.core.lint.references.commands import find_command_mentions, find_modules


def fence(text: str, info: str = "bash") -> list[tuple[str, int, int]]:
    document = parse_document("A.md", f"```{info}\n{text}```\n".encode())
    return [(mention.path, mention.line, mention.start) for mention in find_command_mentions(document)]


def test_the_files_of_commands_have_their_places() -> None:
    assert fence("a.sh && b.sh\n./c.sh x='d/e.yaml'\n") == [("a.sh", 2, 0), ("b.sh", 2, 8), ("./c.sh", 3, 0), ("d/e.yaml", 3, 10)]
    assert fence("node a.js > b.js\ntool -o c.js d.js\n") == [("a.js", 2, 5), ("d.js", 3, 13)]
    assert fence("a.sh\n", "python") == fence("run build/app $HOME/x.sh\n") == []


def test_nothing_counts_after_a_change_of_the_directory() -> None:
    assert fence("a.sh\ncd web\nb.sh\n") == [("a.sh", 2, 0)]


def test_modules_are_found_in_fences_and_in_code_spans() -> None:
    text = "```sh\nuv run python -m a.b --x\npython -m pytest\n```\n\nRun `python3 -m c.d.e`.\n"
    document = parse_document("A.md", text.encode())
    assert [(mention.path, mention.line, mention.start) for mention in find_modules(document)] == [("a.b", 2, 17), ("c.d.e", 6, 16)]
