"""Lines of each language as people write them, indentation and strings removed."""

import re
from time import perf_counter

import pytest

from ctxkit.core.languages.language_patterns import LANGUAGE_PATTERNS

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
