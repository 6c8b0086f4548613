"""What lines define in languages that may have no grammar here."""

import textwrap
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.code.definition_finder import DEFINITION_PATTERNS, find_definitions, match_definition
from ctxkit.core.languages.language_names import LANGUAGES


def found(text, language=""):
    return find_definitions(enumerate(textwrap.dedent(text).strip("\n").split("\n"), 1), language)


def told(text, language=""):
    return [(one.start, one.end, one.depth, one.kind, one.name) for one in found(text, language)]


@pytest.mark.parametrize(
    ("line", "kind", "name"),
    [
        ("def total(items):", "def", "total"),
        ("class Store(Base):", "class", "Store"),
        ("class Store:", "class", "Store"),
        ("export default function main() {", "function", "main"),
        ("function* walk(tree) {", "function*", "walk"),
        ("func (s *Store) Get(key string) error {", "func", "Get"),
        ("pub(crate) async fn run<T>() {", "fn", "run"),
        ("impl<T> Store<T> {", "impl", "Store"),
        ("macro_rules! square {", "macro_rules!", "square"),
        ("defmodule Shop.Cart do", "defmodule", "Shop.Cart"),
        ("def empty?(cart), do: cart == []", "def", "empty?"),
        ("sub total {", "sub", "total"),
        ("public abstract class Shape {", "class", "Shape"),
        ("data class Item(val id: Int)", "class", "Item"),
        ("private suspend fun load() {", "fun", "load"),
        ("@interface Store", None, None),
        ("let total = 7;", None, None),
        ("return class", None, None),
        ("classes are taught here", None, None),
        ("functional programming", None, None),
        ("", None, None),
    ],
)
def test_a_keyword_announces_a_definition_in_any_language(line: str, kind: str | None, name: str | None) -> None:
    assert [(one.kind, one.name) for one in found(line, "rust")] == ([(kind, name)] if kind else [])


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("int main(void)", "main"),
        ("static const char *name_of(const struct node *node, int level) {", "name_of"),
        ("unsigned long long hash(", None),
        ("void Store::close() {", "Store::close"),
        ("public List<String> names(int most) throws IOException {", "names"),
        ("std::vector<int> sorted(std::vector<int> values,", "sorted"),
        ("int size(void);", None),
        ("    return size(node);", None),
        ("    return size(node)", None),
        ("    else if (size(node)) {", None),
        ("    if (size(node)) {", None),
        ("    while (int size = next(node)) {", None),
        ("    total = size(node)", None),
        ("    close(file);", None),
    ],
)
def test_types_a_name_and_parameters_are_a_function_of_c(line: str, name: str | None) -> None:
    assert [(one.kind, one.name) for one in found(line, "c")] == ([("function", name)] if name else [])


def test_a_function_of_c_is_none_where_functions_are_announced() -> None:
    assert found("int main(void)", "python") == []


def test_a_function_of_the_shell_needs_no_keyword() -> None:
    text = "usage() {\n  echo usage\n}\nbuild-all () {\n}\nrun ()\n"
    assert [one.name for one in found(text, "bash")] == ["usage", "build-all", "run"]
    assert found(text, "python") == []


def test_definitions_nest_as_they_are_indented_and_end_where_the_next_begins() -> None:
    text = """
    class Store(Base):
        def get(self):
            def inner():
                pass
        def put(self):
            pass

    def main():
        pass
    """
    assert told(text, "python") == [
        (1, 7, 0, "class", "Store"),
        (2, 4, 1, "def", "get"),
        (3, 4, 2, "def", "inner"),
        (5, 7, 1, "def", "put"),
        (8, 9, 0, "def", "main"),
    ]


def test_a_signature_is_the_line_without_what_opens_the_body() -> None:
    (one,) = found("static   int main(int argc,  char **argv) {", "c")
    assert one.signature == "static int main(int argc, char **argv)"
    (one,) = found(f"def main({'argument, ' * 25}):", "python")
    assert len(one.signature) == 160


def test_a_line_too_wide_for_a_signature_is_none() -> None:
    assert found(f"function f({'a,' * 200}) {{", "javascript") == []


HEADER = """
/*
 * Order of evaluation:
 *   first (like reading)
 *   class of its own
struct buffer is described here
int wrong(void)
   and ends here */
int count(struct buffer *buffer)
{
}
/* one line: int no(void) */
/** int never(void)
 */ struct buffer {
};
int last(void) {
"""


@pytest.mark.parametrize("language", ["c", "cpp", "java", "javascript", ""])
def test_no_definition_is_taken_from_a_block_comment_and_those_after_it_are_found(language: str) -> None:
    names = [one.name for one in found(HEADER, language)]
    assert names == (["count", "last"] if language != "javascript" else [])


def test_a_comment_of_a_header_that_reads_like_a_function_is_none() -> None:
    text = "/* The mode:\n   first (like r)\n   then second (like w)\n*/\nint mode(const char *text) {\n}\n"
    assert told(text, "c") == [(5, 6, 0, "function", "mode")]


def test_a_comment_may_end_and_begin_on_one_line() -> None:
    text = "/* a */ /* b\nint hidden(void)\n*/ /* c\nint hidden_too(void)\n*/\nint shown(void)"
    assert [one.name for one in found(text, "c")] == ["shown"]


def test_a_star_after_a_slash_opens_no_comment_where_comments_look_otherwise() -> None:
    text = "files = glob('src/*')\ndef after():\n    pass"
    assert [one.name for one in found(text, "python")] == ["after"]


@pytest.mark.parametrize("line", ['char *all = "src/*";', 'char *any = "*/*";', "// see src/*"])
def test_a_mark_in_a_string_or_a_line_comment_opens_no_block_comment(line: str) -> None:
    assert [one.name for one in found(f"{line}\nint after(void) {{\n}}\n", "c")] == ["after"]


LINES = st.sampled_from(["class A", "  def b", "    fn c", "int d(void) {", "/* e", "*/", "f()", "", "  }"])


@given(st.lists(LINES, max_size=30), st.sampled_from(["c", "python", "bash", ""]))
def test_definitions_come_in_order_lie_in_the_text_and_in_what_they_are_nested_in(lines, language: str) -> None:
    definitions = find_definitions(enumerate(lines, 1), language)
    assert [one.start for one in definitions] == sorted({one.start for one in definitions})
    around = []
    for one in definitions:
        assert 1 <= one.start <= one.end <= len(lines)
        around = around[: one.depth]
        assert len(around) == one.depth
        assert all(outer.start < one.start and one.end <= outer.end for outer in around)
        around.append(one)


LINES_DEFINITION_PATTERNS = [
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


@pytest.mark.parametrize(("language", "line", "kind", "name"), LINES_DEFINITION_PATTERNS)
def test_a_line_announces_a_definition(language: str, line: str, kind: str, name: str) -> None:
    found = match_definition(line, language)
    assert found is not None
    assert found[1:] == (kind, name)


@pytest.mark.parametrize(("language", "line"), NOTHING)
def test_other_lines_announce_nothing(language: str, line: str) -> None:
    assert match_definition(line, language) is None


def test_every_language_here_is_one_that_has_a_name() -> None:
    assert set(DEFINITION_PATTERNS) <= set(LANGUAGES)
    assert {language for language, *_ in LINES_DEFINITION_PATTERNS} == set(DEFINITION_PATTERNS) - {"css"}


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
