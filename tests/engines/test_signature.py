"""Signatures and fields quoted from source, held against the parsers' own reading of the definitions."""

import ast
import re
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

from ctxkit.core.brief.document import Definition
from ctxkit.engines.grammars import load_grammar
from ctxkit.engines.signature import join_lines
from ctxkit.engines.syntax import find_definitions

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
