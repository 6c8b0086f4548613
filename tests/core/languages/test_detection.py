"""What language a text is in: by its name, by its first line, by its words, and when to say nothing."""

import inspect
import json
import re
import textwrap
import time
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.document import HEAD_BYTES
from ctxkit.core.languages.detection import LANGUAGE_PATTERNS, language_of_text
from ctxkit.core.languages.language_names import LANGUAGES

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


STRONG = {
    "bash": ["if [[ -f $file ]]; then", "usage() {", "set -euo pipefail", "esac", "local name"],
    "c": ["#include <stdio.h>", "typedef struct {", "static int count;", "struct node {", "int main(void)", "#endif"],
    "cpp": ["template <typename T>", "namespace detail {", "std::string name;", "private:", "void Store::close() {"],
    "csharp": ["using System.Linq;", "namespace Shop.Core;", "public int Id { get; set; }", "[Fact]"],
    "css": [".card {", "color: red;", "@media print {", ":root {"],
    "dart": ["@override", "final String name;", "Widget build(BuildContext context) {", "part of store;"],
    "elixir": [
        "defmodule Shop.Cart do",
        "defp total(items) do",
        "|> Enum.map(& &1.price)",
        "@spec total(t) :: integer",
    ],
    "go": [
        "package main",
        "func (s *Store) Get(key string) error {",
        "if err != nil {",
        "rows := query()",
        "defer done()",
    ],
    "graphql": ["type Query {", "union Result = Product | Order", "sku: ID!", "directive @auth on FIELD", "scalar DateTime"],
    "haskell": ["module Main where", "import qualified Data.Map as M", "size :: Tree a -> Int", "newtype Id = Id Int"],
    "java": ["package org.shop;", "import java.util.List;", "public static void main(String[] args) {", "@Override"],
    "javascript": [
        "const fs = require(",
        "export default function main() {",
        "module.exports = {",
        "});",
        "console.log(",
    ],
    "kotlin": ["fun main(args: Array<String>) {", "val name: String =", "data class Item(", "when (kind) {"],
    "lua": ["local function size(t)", "function Store:get(key)", "for i = 1, 9 do", "if x then"],
    "objc": ["#import <Foundation/Foundation.h>", "@interface Store : NSObject", "- (void)close {", "@end"],
    "perl": ["use strict;", "my $name = shift;", "sub total {", "package Shop::Cart;", "return $self->{name};"],
    "protobuf": ["message Order {", "rpc Pull(PullRequest) returns (PullResponse) {", "optional string name = 1;", "syntax = ;"],
    "php": ["<?php", "$total = 0;", "namespace Shop\\Core;", "public function total() {", "return $this->total;"],
    "python": ["def main():", "class Store(Base):", "import os", "from os import path", "@cache", "with f as file:"],
    "ruby": ["def total", "module Shop", "class Cart < Base", "attr_reader :items", "items.each do |item|"],
    "rust": ["pub fn main() {", "use std::io;", "impl Display for Id {", "#[derive(Debug)]", "let mut x = 1;"],
    "scala": ["package shop", "import shop.{Cart, Item}", "case class Item(", "private def total"],
    "solidity": ["pragma solidity ^0.8.20;", "contract Token is ERC20 {", "function total() public view {", "uint256 supply;"],
    "sql": ["CREATE TABLE users (", "INSERT INTO users", "select *", "ALTER TABLE users"],
    "swift": ["import Foundation", "func total() -> Int {", "guard let name = name else", "struct Item: Codable {"],
    "typescript": ["export interface Item {", "type Id = string", "private readonly id: string", "name?: string;"],
    "zig": ["const std = @import(", "pub fn main() !void {", 'test "add" {', "var x: u8 = 1;", "try run();"],
}
"""What a line of each language looks like in no other kind of text."""
COMMON = {
    "bash": ["fi", "done", 'echo "$name"', "while true; do"],
    "c": ["return 0;", "count = 7;", "close(file);", "} else {", "break;"],
    "elixir": ["end", "use GenServer", "case kind do"],
    "go": ["return nil", "}", "for {", "case 1:"],
    "lua": ["end", "return size", "elseif x then"],
    "python": ["return total", "pass", "total = 7", "try:", "assert total"],
    "ruby": ["end", "return total", "unless done", "total = 7"],
    "rust": ["}", "total += 7;", "loop {", "run();"],
}
PROSE = [
    "The function returns a value, and if it does not, the class is at fault.",
    "It was the best of times, it was the worst of times.",
    "- an item of a list",
    "* another (with a remark)",
    "| a | table |",
    "12 passed, 1 failed in 0.10s",
    "-rw-r--r-- 1 root root 220 Jan 1 00:00 notes",
    "Usage: tool [OPTIONS] FILE",
    "Dear all,",
]


def pairs(lines):
    return [pytest.param(name, line, id=f"{name}: {line}") for name, rows in lines.items() for line in rows]


def test_every_language_has_lines_here() -> None:
    assert set(STRONG) == set(LANGUAGE_PATTERNS)


@pytest.mark.parametrize(("language", "line"), pairs(STRONG))
def test_a_typical_line_is_strong_evidence(language, line) -> None:
    assert re.match(LANGUAGE_PATTERNS[language].strong, line)


@pytest.mark.parametrize(("language", "line"), pairs(COMMON))
def test_an_ordinary_line_is_code(language, line) -> None:
    assert re.match(LANGUAGE_PATTERNS[language].common, line)


@pytest.mark.parametrize("line", PROSE)
def test_prose_and_tables_are_evidence_of_nothing(line: str) -> None:
    assert [name for name, idiom in LANGUAGE_PATTERNS.items() if re.match(idiom.strong, line)] == []


def test_nothing_is_evidence_of_nothing() -> None:
    for idiom in LANGUAGE_PATTERNS.values():
        assert not re.match(idiom.strong, "")
        assert not re.match(idiom.common, "")


def test_a_comment_begins_with_the_mark_of_its_language() -> None:
    marks = {name: idiom.comment for name, idiom in LANGUAGE_PATTERNS.items() if idiom.comment != "//"}
    assert marks == {
        "bash": "#",
        "elixir": "#",
        "graphql": "#",
        "haskell": "--",
        "lua": "--",
        "perl": "#",
        "python": "#",
        "ruby": "#",
        "sql": "--",
    }


@pytest.mark.parametrize(
    "piece", ["a", "a ", "a.", "a, ", "a<", "(", "[a]", "a = ", "public ", "* ", "{", "::", "if (", "def "]
)
def test_no_line_takes_long_to_be_judged(piece: str) -> None:
    line = (piece * 200)[:200]
    start = perf_counter()
    for idiom in LANGUAGE_PATTERNS.values():
        re.match(idiom.strong, line)
        re.match(idiom.common, line)
    assert perf_counter() - start < 0.5
