"""What lines define in languages that may have no grammar here."""

from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.code.definition_finder import find_definitions
from ctxkit.core.brief.code.definition_patterns import DEFINITION_PATTERNS, match_definition
from ctxkit.core.languages.language_names import LANGUAGES

LINES = [
    ("abap", "CLASS lcl_parser DEFINITION", "class", "lcl_parser"),
    ("abap", "  METHOD if_parser~parse.", "method", "if_parser~parse"),
    ("apex", "public with sharing class Cart {", "class", "Cart"),
    ("apex", "    global static List<String> trim(List<String> strs){", "method", "trim"),
    ("apex", "trigger OnOrder on Order (before insert) {", "trigger", "OnOrder"),
    ("asm", "ENTRY(memcpy)", "entry", "memcpy"),
    ("asm", "SYM_FUNC_START(memcpy)", "entry", "memcpy"),
    ("asm", ".L12:", "label", ".L12"),
    ("basic", "    Public Shared Function Total(ByVal a As Integer) As Integer", "function", "Total"),
    ("basic", "<Obsolete()> Private Sub Close()", "sub", "Close"),
    ("basic", "Public Property Get Size() As Long", "property get", "Size"),
    ("batch", ":findBaseDir", "label", "findBaseDir"),
    ("chapel", "inline proc type Box.area() {", "proc", "Box.area"),
    ("chapel", "config const steps = 10,", "const", "steps"),
    ("coffeescript", "exports.Lexer = class Lexer", "class", "Lexer"),
    ("coffeescript", "  tokenize: (code, opts = {}) ->", "function", "tokenize"),
    ("coq", "Theorem plus_comm : forall n m,", "theorem", "plus_comm"),
    ("crystal", "  private def parse(text : String) : Node", "def", "parse"),
    ("gyp", "      'target_name': 'core',", "target", "core"),
    ("gyp", "  'variables': {", "section", "variables"),
    ("lex", "%x COMMENT", "state", "COMMENT"),
    ("lex", "DIGIT   [0-9]", "pattern", "DIGIT"),
    ("lex", "static void skip(int depth) {", "function", "skip"),
    ("matlab", "function [a, b] = split(text)", "function", "split"),
    ("nim", "proc `+`*(a, b: Point): Point =", "proc", "+"),
    ("nim", "  Config* = ref object of RootObj", "object", "Config"),
    ("pascal", "procedure TForm1.Close(Sender: TObject);", "procedure", "TForm1.Close"),
    ("pascal", "  TForm1 = class(TForm)", "class", "TForm1"),
    ("prolog", "parent(X, Y) :- father(X, Y).", "rule", "parent"),
    ("puppet", "class apache::params inherits apache {", "class", "apache::params"),
    ("puppet", "  file { '/etc/motd':", "declaration", "file { '/etc/motd'"),
    ("smalltalk", "Object subclass: #Stack", "class", "Stack"),
    ("smalltalk", "!Stack class methodsFor: 'making'!", "methods", "Stack class methodsFor: 'making'"),
    ("starlark", "def _library_impl(ctx):", "def", "_library_impl"),
    ("starlark", '    name = "core",', "target", "core"),
    ("tcl", "proc ::http::get {url args} {", "proc", "::http::get"),
    ("tcl", "namespace eval http {", "namespace eval", "http"),
    ("verilog", "  function automatic [7:0] parity(input [7:0] a);", "function", "parity"),
    ("verilog", "always @(posedge clk) begin", "always", "@(posedge clk)"),
    ("verilog", "  fifo #(8) queue (", "cell", "queue"),
    ("vhdl", "architecture rtl of counter is", "architecture", "rtl"),
    ("verilog", "  virtual task run();", "task", "run"),
    ("vhdl", "  count: process (clk)", "process", "count"),
    ("vhdl", "package body queue is", "package", "queue"),
    ("yacc", "expr: expr '+' term", "rule", "expr"),
    ("yacc", "expr -> term : '$1'.", "rule", "expr"),
    ("zeek", "event http_reply(c: connection)", "event", "http_reply"),
    ("zeek", "redef record connection += {", "redef record", "connection"),
    ("asm", "main:", "label", "main"),
    ("asm", ".macro push_all", "macro", "push_all"),
    ("clojure", "(defn- parse [s]", "defn-", "parse"),
    ("clojure", "(defmulti ^:private area :shape)", "defmulti", "area"),
    ("cmake", "add_library(core STATIC core.c)", "add_library", "core"),
    ("cmake", "  add_test(NAME unit COMMAND unit)", "test", "unit"),
    ("dockerfile", "FROM --platform=linux/amd64 node:20 AS build", "stage", "build"),
    ("dockerfile", "FROM debian:12", "stage", "debian:12"),
    ("dockerfile", "RUN apt-get update && \\", "run", "apt-get"),
    ("elm", "type alias Model =", "type alias", "Model"),
    ("elm", "view : Model -> Html Msg", "function", "view"),
    ("erlang", "-record(state, {count = 0}).", "record", "state"),
    ("erlang", "handle_call(stop, _From, State) ->", "function", "handle_call"),
    ("fortran", "      SUBROUTINE DGEMM(TRANSA, TRANSB)", "subroutine", "DGEMM"),
    ("fortran", "  pure real function area(r) result(a)", "function", "area"),
    ("fortran", "  type, public :: point", "type", "point"),
    ("fsharp", "let rec fold f acc list =", "let", "fold"),
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
    ("julia", "function area(c::Circle)", "function", "area"),
    ("julia", "mutable struct Circle <: Shape", "mutable struct", "Circle"),
    ("julia", "square(x) = x * x", "function", "square"),
    ("just", "build target='debug': clean", "recipe", "build"),
    ("lisp", "(define (square x)", "define", "square"),
    ("lisp", "(defun total (items)", "defun", "total"),
    ("make", "%.o: %.c config.h", "rule", "%.o"),
    ("make", "define install_files", "macro", "install_files"),
    ("nix", "  buildInputs = with pkgs; [", "binding", "buildInputs"),
    ("objc", "- (void)close:(id)sender {", "method", "close"),
    ("ocaml", "let rec length = function", "let", "length"),
    ("ocaml", "type 'a tree =", "type", "tree"),
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
    ("abap", "class lcl_parser definition load."),
    ("abap", "* method parse."),
    ("apex", "return new List<String>(a);"),
    ("basic", "End Sub"),
    ("basic", "Exit Function"),
    ("basic", "' Function total"),
    ("batch", ":: a comment"),
    ("coffeescript", "  total = (a + b) * 2"),
    ("gyp", "  'sources': ['a.c'],"),
    ("nim", "  let total = 3"),
    ("pascal", "  TForm1 = class;"),
    ("pascal", "end;"),
    ("puppet", "  $port = 80"),
    ("starlark", 'load("//a:b.bzl", "c")'),
    ("verilog", "endmodule"),
    ("verilog", "  end else if ("),
    ("vhdl", "  context work.com_context;"),
    ("yacc", "    | term"),
    ("zeek", "\tc$http$method = method;"),
    ("cmake", "set(SOURCES a.c)"),
    ("elm", "    let x = 1"),
    ("erlang", "    foo(X) ->"),
    ("fortran", "end subroutine dgemm"),
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


def test_an_end_closes_what_its_language_closes_with_it() -> None:
    verilog = ["module top (a);", "always @(posedge a) begin", "end", "fifo f (", ");", "endmodule", "", "wire b;"]
    told = [(d.start, d.end, d.depth, d.name) for d in find_definitions(enumerate(verilog, 1), "verilog")]
    assert told == [(1, 6, 0, "top"), (2, 3, 1, "@(posedge a)"), (4, 5, 1, "f")]
    package = ["package p;", "virtual class a;", "  function f();", "  endfunction", "endclass", "endpackage"]
    told = [(d.start, d.end, d.depth, d.name) for d in find_definitions(enumerate(package, 1), "verilog")]
    assert told == [(1, 6, 0, "p"), (2, 5, 1, "a"), (3, 4, 2, "f")]
    basic = ["Sub A()", "If x Then", "End If", "End Sub", "x = 1", "Sub B()", "End Sub"]
    assert [(d.start, d.end) for d in find_definitions(enumerate(basic, 1), "basic")] == [(1, 4), (6, 7)]


def test_a_parenthesis_at_the_margin_closes_a_definition() -> None:
    scheme = ["(define (a) 1)", "(let ()", "  (define (b) 2)", "  (define (c) 3))"]
    told = [(d.name, d.start, d.end, d.depth) for d in find_definitions(enumerate(scheme, 1), "lisp")]
    assert told == [("a", 1, 1, 0), ("b", 3, 3, 0), ("c", 4, 4, 0)]


def test_a_list_of_selectors_is_one_rule() -> None:
    rows = ["a,", "b,", "c {", "  color: red;", "}", "d { top: 0 }"]
    assert [(d.name, d.start) for d in find_definitions(enumerate(rows, 1), "scss")] == [("a", 1), ("d", 6)]


def test_clauses_of_one_function_are_one() -> None:
    rows = ["f(0) ->", "    1;", "f(N) ->", "    2.", "g(X) -> X."]
    assert [(d.name, d.start) for d in find_definitions(enumerate(rows, 1), "erlang")] == [("f", 1), ("g", 5)]


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
