from ctxkit.core.lint.document.parse import parse_document
from ctxkit.core.lint.document.workspace import ProjectInfo, RemovedPath
from ctxkit.core.lint.references.paths import (
    PathIndex,
    candidate_paths,
    find_command_mentions,
    find_drawn_trees,
    find_mentions,
    find_modules,
    rewrite_path,
)


def named(text):
    return [mention.path for mention in find_mentions(parse_document("A.md", text.encode()))]


def test_paths_are_told_from_other_code() -> None:
    assert named("`src/a.py` `b.md` `c/` `x.y.z` `--opt` `a b/c.py` `src/foo.py` `@x/y` `path/to/x.py`") == [
        "src/a.py", "b.md",
    ]  # fmt: skip
    assert named("`src/a.py:12` and `src/b.py#L3`") == ["src/a.py", "src/b.py"]
    assert named("```\n`src/a.py`\n```\n├── `src/b.py`\n") == []


def test_letters_before_a_hyphen_are_no_number_of_an_issue() -> None:
    assert named("`docs/auth-bridge.md` `docs/ABCD-NN.md` `docs/docker-compose.md`") == ["docs/auth-bridge.md", "docs/docker-compose.md"]


def test_a_named_case_stands_for_any_name() -> None:
    assert named("`components/PascalCase.tsx` `lib/camelCase.ts` `a/snake_case.py` `b/lettercase.py`") == ["b/lettercase.py"]


def test_the_context_of_a_path_begins_with_its_sentence_on_the_line_above() -> None:
    def contexts(text):
        return [mention.prose for mention in find_mentions(parse_document("A.md", text.encode()))]

    assert contexts("First. There is no `x`\n`src/a.py` here.\n") == ["There is no                here."]
    assert contexts("There is no\n- `src/a.py` here.\n") == ["-            here."]
    assert contexts("There is none.\n`src/a.py` here.\n") == ["            here."]


def test_a_name_may_be_meant_from_any_directory_above() -> None:
    assert list(candidate_paths("a.py", "x/y")) == ["x/y/a.py", "x/a.py", "a.py"]
    assert list(candidate_paths("../../a.py", "x")) == []


def test_a_path_exists_as_the_end_of_another_in_any_case_and_without_its_ending() -> None:
    known = PathIndex(ProjectInfo(frozenset(("src/deep/Thing.py", "src/deep", "src"))))
    assert known.exists("deep/Thing.py", "")
    assert known.exists("thing.py", "docs")
    assert known.exists("deep/thing", "")
    assert not known.exists("deep/other.py", "")
    assert known.exists("thing", "")


def test_a_directory_does_not_exist_because_another_of_its_name_does() -> None:
    known = PathIndex(ProjectInfo(frozenset({"configs", "configs/old", "configs/old/runs", "configs/old/runs/a.yaml"})))
    assert known.exists("old/runs/", "")
    assert known.exists("runs/a", "")
    assert not known.exists("configs/full/runs/", "")
    assert not known.exists("full/a", "")


def test_a_file_that_was_renamed_twice_is_where_it_is_now() -> None:
    pasts = {"a.py": RemovedPath("c1", "2026-01-01", "b.py"), "b.py": RemovedPath("c2", "2026-01-02", "c.py"), "x": RemovedPath("c3", "d")}
    known = PathIndex(ProjectInfo(frozenset(("c.py",)), history=pasts.get))
    assert known.find_removal("a.py") == pasts["b.py"]
    assert known.find_removal("x") == pasts["x"]
    assert known.find_removal("c.py") is None


def test_renames_in_a_circle_end() -> None:
    pasts = {"a.py": RemovedPath("c1", "d", "b.py"), "b.py": RemovedPath("c2", "d", "a.py")}
    assert PathIndex(ProjectInfo(frozenset(("c",)), history=pasts.get)).find_removal("a.py") is not None


def test_a_new_path_is_written_as_the_old_one_was() -> None:
    document = parse_document("docs/guide/A.md", b"")
    assert rewrite_path(document, "src/a.py", "src/a.py", "src/b.py") == "src/b.py"
    assert rewrite_path(document, "./a.py", "docs/guide/a.py", "docs/guide/b.py") == "./b.py"
    assert rewrite_path(document, "a.py", "docs/a.py", "docs/b.py") == ""


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


def drawn(text: str) -> list[tuple[str, list[tuple[str, int]]]]:
    document = parse_document("A.md", f"```\n{text}```\n".encode())
    trees = [tree for _, trees in find_drawn_trees(document) for tree in trees]
    return [(tree.top, [(entry.path, entry.line) for entry in tree.entries]) for tree in trees]


def test_entries_have_the_path_from_the_top() -> None:
    text = "shop/            # the project\n├── src/         # code\n│   ├── a.py\n│\n│   └── lib/b.py  (old)\n└── README.md\n"
    assert drawn(text) == [("shop", [("src", 3), ("src/a.py", 4), ("src/lib/b.py", 6), ("README.md", 7)])]


def test_ascii_and_tabs_draw_as_well() -> None:
    assert drawn(".\n|-- src\n|   `-- a.py\n+-- b.py\n") == [(".", [("src", 3), ("src/a.py", 4), ("b.py", 5)])]
    assert drawn("├── a\n│\t├── b.py\n") == [("", [("a", 2), ("a/b.py", 3)])]


def test_each_line_that_is_no_entry_begins_another_tree() -> None:
    assert drawn("web/\n├── a.py\napi/\n├── b.py\n") == [("web", [("a.py", 3)]), ("api", [("b.py", 5)])]


def test_what_is_no_path_is_no_entry() -> None:
    assert drawn("├── *.py\n├── <name>.md\n├── a.py\n├── two words\n") == [("", [("a.py", 4), ("two", 5)])]
    assert drawn("no tree\n") == []
    assert list(find_drawn_trees(parse_document("A.md", b"Text\n\n\xe2\x94\x9c\xe2\x94\x80\xe2\x94\x80 a.py\n"))) == []
