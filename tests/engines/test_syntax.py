"""Definitions read off syntax trees: one real snippet a language, checked by hand, and what must never happen."""

import ast
import inspect
import json
import re
import sysconfig
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.brief.document import Definition, MissingGrammar
from ctxkit.core.languages.language_names import LANGUAGES
from ctxkit.engines import syntax
from ctxkit.engines.grammars import load_grammar
from ctxkit.engines.syntax import find_definitions, join_lines
from tests.example_counts import count_examples

SNIPPETS = {
    "python": (
        '''
        import os

        @decorated
        class Store(Base):
            """Keep things."""
            async def get(self, key: str) -> bytes:
                def inner():
                    pass
                return inner

        if os.name == "nt":
            def path(): return 1
        ''',
        "4 Store, 6 get, 7 inner, 12 path",
    ),
    "javascript": (
        """
        const fs = require('fs');
        ;(function () {
          function chunk(array) {
            return array;
          }
          lodash.map = function (list) {
            return list;
          };
        }.call(this));
        const add = (a, b) => a + b;
        class Stack {
          push(item) { this.items.push(item); }
          drop = () => { this.items = []; }
        }
        """,
        "3 chunk, 6 map, 10 add, 11 Stack, 12 push, 13 drop",
    ),
    "typescript": (
        """
        export interface Shape { area(): number }
        export type Id = string | number;
        export enum Color { Red }
        export abstract class Base<T> extends Root implements Shape {
          constructor(private readonly id: Id) { super(); }
          abstract area(): number;
          private hidden(): void {}
        }
        namespace Inner { export function deep(): void {} }
        export const make = async (id: Id): Promise<Base<Id>> => {
          return load(id);
        };
        """,
        "1 Shape, 1 area, 2 Id, 3 Color, 4 Base, 5 constructor, 6 area, 7 hidden, 9 Inner, 9 deep, 10 make",
    ),
    "tsx": (
        """
        export function Button(props: Props) {
          return <button onClick={() => props.go()}>{props.label}</button>;
        }
        const Card = memo(() => {
          return <div />;
        });
        """,
        "1 Button, 4 Card",
    ),
    "rust": (
        """
        use std::fmt;
        mod elsewhere;
        #[derive(Debug)]
        pub struct Config<T> { path: T }
        impl<T> fmt::Display for Config<T> {
            fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result { Ok(()) }
        }
        pub trait Load { fn load(&self); }
        enum Mode { Fast }
        macro_rules! square { ($x:expr) => { $x * $x }; }
        pub(crate) async fn run() {}
        """,
        "4 Config, 5 Config, 6 fmt, 8 Load, 8 load, 9 Mode, 10 square, 11 run",
    ),
    "go": (
        """
        package main
        import "fmt"
        type Server struct {
            addr string
        }
        type Handler interface {
            Serve(string) error
        }
        func (s *Server) Start() error { return nil }
        func main() { fmt.Println() }
        """,
        "3 Server, 6 Handler, 7 Serve, 9 Start, 10 main",
    ),
    "java": (
        """
        package a.b;
        import java.util.List;
        @Deprecated
        public class Reader<T> implements Closeable {
            private int depth;
            public Reader(int depth) { this.depth = depth; }
            @Override
            public void close() throws IOException {}
            enum State { OPEN }
            interface Visitor { void visit(T item); }
            record Pair(int a, int b) {}
        }
        @interface Marker {}
        """,
        "4 Reader, 6 Reader, 8 close, 9 State, 10 Visitor, 10 visit, 11 Pair, 13 Marker",
    ),
    "c": (
        """
        #include <stdio.h>
        #define MAX(a, b) ((a) > (b) ? (a) : (b))
        struct point { int x; };
        typedef struct { int y; } pair;
        struct point *origin;
        int later(void);
        int known(void);
        static char *
        name_of(struct point *p)
        {
            return 0;
        }
        int known(void) { return 1; }
        """,
        "2 MAX, 3 point, 4 pair, 6 later, 9 name_of, 13 known",
    ),
    "cpp": (
        """
        namespace net {
        template <typename T>
        class Socket : public Base {
        public:
          Socket();
          ~Socket() {}
          bool operator==(const Socket& other) const { return true; }
          void send(T data);
        };
        }
        void net::Socket::close() {}
        enum class Mode { Read };
        using Bytes = int;
        """,
        "1 net, 3 Socket, 5 Socket, 6 ~Socket, 7 operator==, 8 send, 11 net::Socket::close, 12 Mode, 13 Bytes",
    ),
    "csharp": (
        """
        using System;
        namespace Acme.Web {
            [Serializable]
            public class Cart : Base {
                public int Count { get; set; }
                public Cart() {}
                public void Add<T>(T item) {}
            }
            public interface IShip { void Ship(); }
            public enum State { Open }
            public record Line(int Id);
        }
        """,
        "2 Acme.Web, 4 Cart, 5 Count, 6 Cart, 7 Add, 9 IShip, 9 Ship, 10 State, 11 Line",
    ),
    "ruby": (
        """
        require "set"
        module Web
          class App < Base
            attr_reader :name
            def call(env)
            end
            def self.build; end
            class << self
              def hidden?; end
            end
          end
        end
        """,
        "2 Web, 3 App, 5 call, 7 build, 9 hidden?",
    ),
    "php": (
        """
        <?php
        namespace App;
        use Foo\\Bar;
        abstract class Model extends Base {
            public function save(array $row): bool { return true; }
        }
        interface Saves { function save(); }
        trait Logs { }
        function helper($a) { }
        """,
        "4 Model, 5 save, 7 Saves, 7 save, 8 Logs, 9 helper",
    ),
    "scala": (
        """
        package a
        case class User(name: String) extends Base {
          def greet(other: User): String = "hi"
        }
        object Main {
          def main(args: Array[String]): Unit = ()
        }
        trait Store { def get(key: String): Int }
        """,
        "2 User, 3 greet, 5 Main, 6 main, 8 Store, 8 get",
    ),
    "bash": (
        """
        #!/bin/bash
        set -e
        build() {
          echo "$1"
        }
        function deploy {
          build x
        }
        deploy
        """,
        "3 build, 6 deploy",
    ),
    "kotlin": (
        """
        package a
        class Cart(val owner: String) : Base() {
            fun add(item: Item): Int = 1
            companion object {
                fun empty() {}
            }
        }
        object Registry {
            fun find() {}
        }
        fun String.shout(): String = uppercase()
        """,
        "2 Cart, 3 add, 4 companion, 5 empty, 8 Registry, 9 find, 11 shout",
    ),
    "swift": (
        """
        import Foundation
        public final class Session: Base {
            init(id: Int) {}
            deinit {}
            func send(_ data: Data) -> Bool { true }
        }
        struct Point { }
        protocol Sends { func send() }
        extension Session: Sends {
            func stop() {}
        }
        """,
        "2 Session, 3 init, 4 deinit, 5 send, 7 Point, 8 Sends, 8 send, 9 Session, 10 stop",
    ),
    "lua": (
        """
        local json = require("json")
        local function helper(a)
          return a
        end
        function M.encode(value)
        end
        function M:decode(text)
        end
        M.run = function()
        end
        """,
        "2 helper, 5 M.encode, 7 M:decode, 9 M.run",
    ),
    "elixir": (
        """
        defmodule Web.Router do
          use Plug
          @doc "Says hello."
          def hello(name) when is_binary(name) do
            name
          end
          def hello(other), do: other
          defp secret, do: 1
          defmacro route(path) do
          end
        end
        """,
        "1 Web.Router, 4 hello, 8 secret, 9 route",
    ),
    "haskell": (
        """
        module Main where
        import Data.List
        data Tree a = Leaf | Node a
        class Shape a where
          area :: a -> Int
        instance Shape Tree where
          area t = 1
        depth :: Tree a -> Int
        depth Leaf = 0
        depth t = 1
        """,
        "3 Tree, 4 Shape, 5 area, 6 Shape, 7 area, 8 depth",
    ),
    "dart": (
        """
        import 'dart:io';
        class Counter extends Base {
          int value;
          Counter(this.value);
          void add(int n) {
            value += n;
          }
          static int twice(int n) => n * 2;
        }
        mixin Logs {}
        void main() {
          run();
        }
        """,
        "2 Counter, 4 Counter, 5 add, 8 twice, 10 Logs, 11 main",
    ),
    "zig": (
        """
        const std = @import("std");
        pub const Point = struct {
            x: i32,
            pub fn norm(self: Point) i32 {
                return self.x;
            }
        };
        const Mode = enum { fast, slow };
        pub fn main() !void {}
        """,
        "2 Point, 4 norm, 8 Mode, 9 main",
    ),
}
LOG = b"".join(
    b"17/06/09 20:10:%02d INFO executor.Executor: Running task %d.0 (TID %d) [rdd_2_%d locally {\"a\": %d\n"
    % (i % 60, i, i * 3, i, i)
    for i in range(100_000)
)


def text_of(language: str) -> bytes:
    return textwrap.dedent(SNIPPETS[language][0]).strip("\n").encode()


def listed(data: bytes, language: str) -> str:
    found = find_definitions(data, language)
    assert found is not None
    return ", ".join(f"{one.start} {one.name}" for one in found)


@pytest.mark.parametrize("language", SNIPPETS)
def test_every_language_names_its_definitions_and_their_lines(language: str) -> None:
    assert listed(text_of(language), language) == SNIPPETS[language][1]


@pytest.mark.parametrize("language", SNIPPETS)
def test_a_name_stands_on_the_line_it_is_given(language: str) -> None:
    data = text_of(language)
    rows = data.decode().split("\n")
    for one in find_definitions(data, language) or []:
        assert one.name in rows[one.start - 1]
        assert 1 <= one.start <= one.end <= len(rows)


def test_ends_depths_signatures_and_docs_are_those_of_the_source() -> None:
    store, get, inner, path = find_definitions(text_of("python"), "python") or []
    assert (store.end, store.depth, store.signature, store.doc) == (9, 0, "class Store(Base)", "Keep things.")
    assert (get.end, get.depth, get.signature) == (9, 1, "async def get(self, key: str) -> bytes")
    assert (inner.end, inner.depth) == (8, 2)
    assert (path.start, path.end, path.depth) == (12, 12, 0)


def test_a_signature_of_many_lines_is_folded_into_one() -> None:
    data = b"def f(\n    a: int,\n    b: str = 'x',\n) -> None:\n    pass\n"
    assert [one.signature for one in find_definitions(data, "python") or []] == ["def f(a: int, b: str = 'x') -> None"]


def test_annotations_and_comments_are_no_part_of_a_signature() -> None:
    found = {one.name: one.signature for one in find_definitions(text_of("java"), "java") or []}
    assert found["close"] == "public void close() throws IOException"
    assert found["Marker"] == "@interface Marker"


def test_a_dart_function_ends_where_its_body_does() -> None:
    ends = {(one.name, one.kind): one.end for one in find_definitions(text_of("dart"), "dart") or []}
    assert (ends["add", "function"], ends["main", "function"], ends["Counter", "class"]) == (7, 13, 9)


@pytest.mark.parametrize("module", [ast, inspect, json, textwrap])
def test_python_definitions_are_those_of_the_interpreter(module) -> None:
    data = inspect.getsource(module).encode()
    kinds = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    nodes = [node for node in ast.walk(ast.parse(data)) if isinstance(node, kinds)]
    found = find_definitions(data, "python") or []
    assert {(one.start, one.end, one.name) for one in found} == {(n.lineno, n.end_lineno, n.name) for n in nodes}


@pytest.mark.parametrize("language", ["cobol", ""])
def test_an_unknown_language_is_not_parsed(language: str) -> None:
    assert find_definitions(b"x = 1\n", language) is None


@pytest.mark.parametrize(("language", "package"), [("kotlin", "tree-sitter-kotlin"), ("sql", "tree-sitter-sql")])
def test_the_package_of_a_missing_grammar_is_named(monkeypatch: pytest.MonkeyPatch, language: str, package: str) -> None:
    monkeypatch.setattr(syntax, "load_grammar", lambda _: None)
    definitions = find_definitions(b"fun f() {}\n", language)
    assert isinstance(definitions, MissingGrammar)
    assert (list(definitions), definitions.package) == ([], package)
    assert find_definitions(b"def f(): pass\n", "python") is None


def test_minified_and_huge_content_is_not_parsed() -> None:
    assert find_definitions(b"function a(){};" * 1000, "javascript") is None
    assert find_definitions(b"function a(){}\n" * 300_000, "javascript") is None


def test_what_is_mostly_errors_is_not_parsed() -> None:
    assert find_definitions(LOG[:20_000], "rust") is None


@pytest.mark.slow
@pytest.mark.parametrize("language", ["typescript", "cpp", "lua", "elixir"])
def test_a_log_taken_for_source_is_given_up_in_time(language: str) -> None:
    began = time.process_time()
    assert not find_definitions(LOG[:200_000], language)
    assert time.process_time() - began < 3


def test_ten_megabytes_of_the_wrong_content_cost_nothing() -> None:
    began = time.process_time()
    assert find_definitions(LOG[:10_000_000], "typescript") is None
    assert time.process_time() - began < 3


@settings(max_examples=count_examples(60), deadline=None)
@given(st.binary(max_size=300), st.sampled_from(sorted(LANGUAGES)))
def test_any_bytes_in_any_language_give_valid_ranges(data: bytes, language) -> None:
    total = data.count(b"\n") + (1 if data[-1:] not in (b"", b"\n") else 0)
    for one in find_definitions(data, language) or []:
        assert 1 <= one.start <= one.end <= total
        assert one.name
        assert "\n" not in one.signature


@settings(max_examples=count_examples(40), deadline=None)
@given(st.sampled_from(sorted(SNIPPETS)), st.data())
def test_source_cut_anywhere_gives_valid_ranges_and_real_names(language, data: st.DataObject) -> None:
    whole = text_of(language)
    part = whole[: data.draw(st.integers(0, len(whole)))]
    rows = part.decode("utf-8", "replace").split("\n")
    for one in find_definitions(part, language) or []:
        assert one.name in rows[one.start - 1]
        assert 1 <= one.start <= one.end <= len(rows)


def test_a_javascript_test_is_called_by_its_title() -> None:
    source = b"""
describe("a store", () => {
  const make = () => {
    return 1;
  };
  it('keeps what it is given', async () => {
    expect(make()).toBe(1);
  });
  test.each([1, 2])("doubles %d", (n) => {
    expect(n).toBe(n);
  });
});
describe("nothing");
request("a title", () => {});
"""
    for language in ("javascript", "typescript", "tsx"):
        found = find_definitions(source, language)
        assert [(one.kind, one.name, one.start, one.end, one.depth) for one in found] == [
            ("describe", '"a store"', 2, 12, 0),
            ("function", "make", 3, 5, 1),
            ("it", "'keeps what it is given'", 6, 8, 1),
            ("test", '"doubles %d"', 9, 11, 1),
        ]


def test_a_test_that_a_macro_defines_is_named_by_its_arguments() -> None:
    source = b"TEST(DBTest, Empty) {\n  int a = 1;\n}\nTEST(DBTest, Full) {\n  int a = 1;\n}\nint MAX(int a) {\n  return a;\n}\n"
    definitions = find_definitions(source, "cpp") or ()
    names = [(definition.name, definition.start) for definition in definitions]
    assert names == [("TEST(DBTest, Empty)", 1), ("TEST(DBTest, Full)", 4), ("MAX", 7)]


STDLIB = Path(sysconfig.get_path("stdlib"))
SITE = Path(sysconfig.get_path("purelib"))
PARAMETERS = re.compile(r"(?:formal_|function_value_|method_|lambda_)?parameter(?:s|_list)|function_value_parameters")
QUOTED = [
    (
        "python",
        'def f(\n    self, a, /, b=",  )", *,  # all by name\n    c: int = 3,\n    **kw: str,\n) -> None:  # why\n    pass\n',
        'def f(self, a, /, b=",  )", *, c: int = 3, **kw: str) -> None',
        (),
    ),
    (
        "python",
        "def f(\n    key,\n    *,\n    domain=None,\n    path='/',\n): ...\n",
        "def f(key, *, domain=None, path='/')",
        (),
    ),
    ("python", "def f(*args, sep='  '):\n    pass\n", "def f(*args, sep='  ')", ()),
    ("python", "def f(a=(\n    1,\n)): ...\n", "def f(a=(1,))", ()),
    (
        "python",
        "@dataclass\nclass A(Base):\n    '''Doc.'''\n    __slots__ = ()\n    x: int\n    y: list[str] = field()  # z\n",
        "class A(Base)",
        ("x: int", "y: list[str] = field()"),
    ),
    (
        "rust",
        "#[derive(Debug)]\npub struct C {\n    /// It.\n    #[serde(default)]\n    pub model: String,\n    n: Vec<u8>,\n}\n",
        "pub struct C",
        ("pub model: String", "n: Vec<u8>"),
    ),
    ("rust", "pub struct P(u32, pub String);\n", "pub struct P(u32, pub String)", ()),
    ("rust", "enum M { Fast, Slow(u8), Big { a: u8 } }\n", "enum M", ("Fast", "Slow(u8)", "Big { a: u8 }")),
    (
        "go",
        'type S struct {\n\tAddr string `json:"addr"`\n\tEmbedded\n}\n',
        "type S struct",
        ('Addr string `json:"addr"`', "Embedded"),
    ),
    (
        "typescript",
        "type O = {\n  a: string;\n  b?: (x: number) => void;\n};\n",
        "type O",
        ("a: string", "b?: (x: number) => void"),
    ),
    ("typescript", "export class A<T> {\n  private x = 1;\n  go() {}\n}\n", "export class A<T>", ("private x = 1",)),
    (
        "java",
        '@Table(name = "a)")\npublic class R {\n  @Column private int d = 3;\n}\n',
        "public class R",
        ("private int d = 3",),
    ),
    ("cpp", "class MY_EXPORT Bar : public Baz {\n public:\n  int size;\n};\n", "class MY_EXPORT Bar : public Baz", ()),
    ("cpp", "Foo::Foo(int a)\n    : a_(a), b_(2) {\n}\n", "Foo::Foo(int a)", ()),
    ("cpp", "QT_BEGIN_NAMESPACE\nint f(int a) {\n}\n", "int f(int a)", ()),
    ("c", "MODULE_INIT\nint bar(int x, ...)\n{\n}\n", "int bar(int x, ...)", ()),
    ("c", "int\nfoo(a, b)\n    int a; /* the\n first */\n    char *b;\n{\n}\n", "int foo(a, b) int a; char *b", ()),
    ("c", "#ifdef A\nint f(int a)\n#else\nint f(long a)\n#endif\n{\n  return 1;\n}\n", "int f(int a)", ()),
    (
        "c",
        "typedef struct node {\n  int a; /* c */\n  char *b[3];\n} node_t;\n",
        "typedef struct node node_t",
        ("int a", "char *b[3]"),
    ),
]


@pytest.mark.parametrize(("language", "source", "signature", "fields"), QUOTED)
def test_quotes_a_definition(language: str, source: str, signature: str, fields: tuple[str, ...]) -> None:
    first = (find_definitions(source.encode(), language) or [])[0]
    assert (first.signature, first.fields) == (signature, fields)


def test_an_annotation_after_a_prototype_is_no_function() -> None:
    source = b"class A {\n  Status Open(int a) EXCLUSIVE_LOCKS_REQUIRED(mutex_);\n  int Close() const GUARDED(a) OTHER(x);\n  void Go() REQUIRES(mutex_);\n};\n"
    assert [one.name for one in find_definitions(source, "cpp") or ()] == ["A", "Open", "Close", "Go"]


def test_a_long_field_ends_before_its_value() -> None:
    source = f"class A:\n    x: int = {'1 + ' * 40}1\n".encode()
    assert (find_definitions(source, "python") or [])[0].fields == ("x: int = ...",)


def test_lines_are_joined_without_changing_strings() -> None:
    assert join_lines('f(\n    "a  b",\n    (1,),\n)') == 'f("a  b", (1,))'


def _python_files() -> Iterator[Path]:
    yield from (STDLIB / name for name in ("argparse.py", "subprocess.py", "typing.py", "dataclasses.py", "socket.py"))
    for package in ("click", "hypothesis/strategies/_internal", "huggingface_hub", "markdown_it", "rich"):
        yield from sorted((SITE / package).glob("*.py"))[:25]


def _functions(source: bytes) -> dict[tuple[int, str], ast.FunctionDef | ast.AsyncFunctionDef]:
    nodes = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return {(node.lineno, node.name): node for node in nodes}


def _is_same(definition: Definition, function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    if definition.signature.endswith("..."):
        return len(definition.signature) > 1_000
    quoted = ast.parse(f"{definition.signature}: pass").body[0]
    assert isinstance(quoted, ast.FunctionDef | ast.AsyncFunctionDef)
    return [ast.dump(part) for part in (quoted.args, quoted.returns) if part] == [
        ast.dump(part) for part in (function.args, function.returns) if part
    ]


@pytest.mark.slow
def test_each_python_signature_has_the_parameters_of_its_function() -> None:
    checked = 0
    for path in _python_files():
        source = path.read_bytes()
        functions = _functions(source)
        for definition in find_definitions(source, "python") or ():
            function = functions.get((definition.start, definition.name))
            if function is not None:
                assert _is_same(definition, function), (path, definition)
                checked += 1
    assert checked > 500


@pytest.mark.parametrize(
    "language", ["c", "cpp", "csharp", "go", "java", "javascript", "kotlin", "php", "ruby", "rust", "scala"]
)
def test_each_parameter_of_an_installed_grammar_is_quoted(language: str) -> None:
    if load_grammar(language) is None:
        pytest.skip("grammar not installed")
    source = SOURCES[language]
    found = find_definitions(source.encode(), language) or []
    joined = " ".join(one.signature for one in found)
    for parameter in ("alpha", "beta", "gamma"):
        assert len(re.findall(rf"\b{parameter}\b", joined)) == 1, joined
    assert "hidden" not in joined


SOURCES = {
    "c": "static int f(int alpha, /* hidden */\n  char *beta[], // hidden\n  int (*gamma)(int)) {\n return hidden;\n}\n",
    "cpp": "class A {\npublic:\n  explicit A(int alpha, // hidden\n    const B& beta = {}, C&&... gamma) : hidden_(alpha) {}\n};\n",
    "csharp": "class A {\n  [Hidden]\n  public int F(ref int alpha, /* hidden */ string beta = \"x\", params int[] gamma) => 1;\n}\n",
    "go": "package a\n\nfunc (s *S) F(alpha, beta string, // hidden\n\tgamma ...int) error {\n\treturn hidden\n}\n",
    "java": "class A {\n  @Hidden\n  <T> T f(@Nullable final T alpha, // hidden\n    int[] beta, String... gamma) throws E { hidden(); }\n}\n",
    "javascript": "function f(alpha, { beta } = {}, // hidden\n  ...gamma) {\n  hidden();\n}\n",
    "kotlin": "class A {\n  @Hidden\n  fun f(alpha: Int, /* hidden */ beta: (Int) -> Unit = {}, vararg gamma: String) { hidden() }\n}\n",
    "php": "<?php\nclass A {\n  #[Hidden]\n  function f(int $alpha, // hidden\n    ?B &$beta = null, string ...$gamma): void { hidden(); }\n}\n",
    "ruby": "def f(alpha, beta = 1, # hidden\n      *rest, gamma:, **opts, &block)\n  hidden\nend\n",
    "rust": "pub fn f<'a, T>(alpha: &'a T, // hidden\n    beta: u8, gamma: impl Fn(u8) -> u8) -> R where T: B {\n    hidden()\n}\n",
    "scala": "class A {\n  def f(alpha: Int, beta: => String = \"x\")(implicit gamma: C): D = { hidden }\n}\n",
}  # fmt: skip
