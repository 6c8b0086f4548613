"""What language a text is in: by its name, by its first line, by its words, and when to say nothing."""

import inspect
import json
import re
import textwrap
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.document import HEAD_BYTES
from ctxkit.core.languages.detection import language_of_text
from ctxkit.core.languages.language_names import LANGUAGES
from ctxkit.core.languages.language_patterns import LANGUAGE_PATTERNS

GO = """package server

import (
    "fmt"
    "net/http"
)

type Server struct {
    addr string
}

// Start starts the server.
func (s *Server) Start() error {
    mux := http.NewServeMux()
    if err := http.ListenAndServe(s.addr, mux); err != nil {
        return fmt.Errorf("listen: %w", err)
    }
    return nil
}
"""
TYPESCRIPT = """import { readFile } from "node:fs/promises";
export interface Options {
  path: string;
  depth?: number;
}
export async function load(options: Options): Promise<string> {
  const text = await readFile(options.path, "utf8");
  if (text.length === 0) {
    throw new Error("empty");
  }
  return text;
}
export const size = (text: string): number => text.length;
"""
RUST = """use std::collections::HashMap;

pub struct Cache {
    items: HashMap<String, Vec<u8>>,
}

impl Cache {
    pub fn get(&self, key: &str) -> Option<&Vec<u8>> {
        let found = self.items.get(key);
        match found {
            Some(value) => Some(value),
            None => None,
        }
    }
}
"""
PYTEST = """============================= test session starts ==============================
collected 2 items

tests/test_a.py F.                                                       [100%]

=================================== FAILURES ===================================
__________________________________ test_add ____________________________________

    def test_add():
        import calc
        from calc import add
        value = add(1, 2)
>       assert value == 4
E       assert 3 == 4

tests/test_a.py:5: AssertionError
=========================== short test summary info ============================
FAILED tests/test_a.py::test_add - assert 3 == 4
"""


@pytest.mark.parametrize(
    ("text", "language"),
    [(GO, "go"), (TYPESCRIPT, "typescript"), (RUST, "rust"), (inspect.getsource(textwrap), "python")],
)
def test_nameless_source_is_told_by_its_words(text, language: str) -> None:
    found, sure = language_of_text(text)
    assert found == language
    assert 0.5 <= sure <= 0.9


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello\n",
        PYTEST,
        "diff --git a/x.go b/x.go\n@@ -1,20 +1,20 @@\n" + GO,
        "".join(f"server/main.go:{number}:{line}\n" for number, line in enumerate(GO.split("\n"), 1)),
        "".join(f"{number}\t{line}\n" for number, line in enumerate(GO.split("\n"), 1)),
        "# Guide\n\nLike this:\n\n```go\n" + GO + "```\n",
        json.dumps({"source": GO.split("\n"), "more": RUST}, indent=2),
        "".join(f"2026-01-02T10:11:{second:02} INFO server started; func main() {{\n" for second in range(60)),
        "The function returns a value. If it does not, the class is at fault, for it imports one.\n" * 30,
        "name: build\non:\n  push:\njobs:\n  test:\n    steps:\n    - run: |\n" + textwrap.indent(TYPESCRIPT, " " * 8),
    ],
    ids=["empty", "short", "pytest", "diff", "grep", "numbered", "markdown", "json", "log", "prose", "workflow"],
)
def test_what_only_contains_code_is_no_code(text) -> None:
    assert language_of_text(text) == ("", 0.0)


def test_every_idiom_is_of_a_known_language_and_compiles() -> None:
    for name, idiom in LANGUAGE_PATTERNS.items():
        assert name in LANGUAGES
        assert re.compile(idiom.common)
        assert re.compile(idiom.strong)


@given(st.text(max_size=2000))
def test_any_text_is_answered(text: str) -> None:
    language, sure = language_of_text(text)
    assert (language in LANGUAGES and 0.5 <= sure <= 0.9) or (language, sure) == ("", 0.0)


@pytest.mark.parametrize("piece", ['\\", \\"argumen', "\\', \\'a", "`a\\n`", '"a'])
def test_the_head_of_a_document_of_open_strings_is_read_in_time(piece: str) -> None:
    text = f'x = "{piece * (HEAD_BYTES // len(piece))}\n'
    began = time.process_time()
    language_of_text(text)
    assert time.process_time() - began < 1.0
