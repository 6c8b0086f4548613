"""What lines define in languages that may have no grammar here."""

from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.code.definition_finder import find_definitions
from ctxkit.core.brief.code.definition_patterns import DEFINITION_PATTERNS, match_definition
from ctxkit.core.languages.language_names import LANGUAGES

LINES = [
    ("asm", "ENTRY(memcpy)", "entry", "memcpy"),
    ("asm", "SYM_FUNC_START(memcpy)", "entry", "memcpy"),
    ("asm", ".L12:", "label", ".L12"),
    ("asm", "main:", "label", "main"),
    ("asm", ".macro push_all", "macro", "push_all"),
    ("cmake", "add_library(core STATIC core.c)", "add_library", "core"),
    ("cmake", "  add_test(NAME unit COMMAND unit)", "test", "unit"),
    ("dockerfile", "FROM --platform=linux/amd64 node:20 AS build", "stage", "build"),
    ("dockerfile", "FROM debian:12", "stage", "debian:12"),
    ("dockerfile", "RUN apt-get update && \\", "run", "apt-get"),
    ("graphql", "type Query implements Node {", "type", "Query"),
    ("graphql", "extend type User {", "type", "User"),
    ("graphql", "  search(text: String!, role: Role): [User!]!", "field", "search"),
    ("graphql", "  users: [User!]!", "field", "users"),
    ("graphql", "  createPost(", "field", "createPost"),
    ("groovy", "task copyDocs(type: Copy) {", "task", "copyDocs"),
    ("groovy", "tasks.register('jar') {", "task", "jar"),
    ("groovy", "dependencies {", "block", "dependencies"),
    ("hcl", 'resource "aws_s3_bucket" "logs" {', "resource", "logs"),
    ("hcl", 'variable "region" {', "variable", "region"),
    ("make", "%.o: %.c config.h", "rule", "%.o"),
    ("make", "define install_files", "macro", "install_files"),
    ("objc", "- (void)close:(id)sender {", "method", "close"),
    ("perl", "sub new {", "sub", "new"),
    ("powershell", "function Get-Thing {", "function", "Get-Thing"),
    ("protobuf", "message SearchRequest {", "message", "SearchRequest"),
    ("protobuf", "  rpc Search(Request) returns (Reply);", "rpc", "Search"),
    ("r", "area <- function(r) {", "function", "area"),
    ("r", 'setMethod("show", "Circle",', "setmethod", "show"),
    ("scss", "@mixin button($color) {", "mixin", "button"),
    ("scss", ".card, .panel {", "rule", ".card, .panel"),
    ("scss", '[type="reset"] {', "rule", '[type="reset"]'),
    ("solidity", "abstract contract Token is ERC20 {", "contract", "Token"),
    ("solidity", "    constructor(string memory name) {", "function", "constructor"),
    ("sql", "CREATE OR REPLACE FUNCTION public.total(", "function", "public.total"),
    ("sql", "create table if not exists `users` (", "table", "users"),
    ("template", "{% block content %}", "block", "content"),
    ("template", '{%- macro field(name, value="") -%}', "macro", "field"),
]
NOTHING = [
    ("cmake", "set(SOURCES a.c)"),
    ("groovy", "return total(a) {"),
    ("hcl", "  ami = var.ami"),
    ("make", "\tcc -o $@ $<"),
    ("make", "CFLAGS := -O2"),
    ("make", "ifeq ($(A),b)"),
    ("scss", '  "red": $red,'),
    ("scss", "color: red;"),
    ("scss", "  transition: color .2s,"),
    ("sql", "INSERT INTO users VALUES (1);"),
    ("sql", "-- create table x"),
]


@pytest.mark.parametrize(("language", "line", "kind", "name"), LINES)
def test_a_line_announces_a_definition(language: str, line: str, kind: str, name: str) -> None:
    found = match_definition(line, language)
    assert found is not None
    assert found[1:] == (kind, name)


@pytest.mark.parametrize(("language", "line"), NOTHING)
def test_other_lines_announce_nothing(language: str, line: str) -> None:
    assert match_definition(line, language) is None


def test_every_language_here_is_one_that_has_a_name() -> None:
    assert set(DEFINITION_PATTERNS) <= set(LANGUAGES)
    assert {language for language, *_ in LINES} == set(DEFINITION_PATTERNS) - {"css"}


def test_instructions_lie_in_their_stage() -> None:
    docker = ["FROM a AS build", "RUN make", "COPY . .", "", "FROM b", "CMD run"]
    told = [(d.start, d.end, d.depth, d.kind) for d in find_definitions(enumerate(docker, 1), "dockerfile")]
    assert told == [(1, 4, 0, "stage"), (2, 2, 1, "run"), (3, 4, 1, "copy"), (5, 6, 0, "stage"), (6, 6, 1, "cmd")]


def test_a_list_of_selectors_is_one_rule() -> None:
    rows = ["a,", "b,", "c {", "  color: red;", "}", "d { top: 0 }"]
    assert [(d.name, d.start) for d in find_definitions(enumerate(rows, 1), "scss")] == [("a", 1), ("d", 6)]


@given(st.sampled_from(sorted(DEFINITION_PATTERNS)), st.text(max_size=80))
def test_any_line_is_judged(language, line: str) -> None:
    found = match_definition(line, language)
    assert found is None or (found[0] >= 0 and found[1] == found[1].lower())


@pytest.mark.parametrize(
    "piece", ["a", "a ", "a.", "a, ", "(", "create ", "real ", "{% ", "@a ", '"a" ', "\\a{", "a(", "#", "a:"]
)
def test_no_line_takes_long(piece: str) -> None:
    line = (piece * 300)[:300]
    start = perf_counter()
    for language in DEFINITION_PATTERNS:
        match_definition(line, language)
    assert perf_counter() - start < 1
