"""Small projects in languages whose packages bring no tests: text and sums, with some tests that fail."""

import random
from collections.abc import Callable

Write = Callable[[str, str], None]
CASES = {"words": 60, "money": 90}
WORDS = ("été", "a b", "x/y", "plain")
NAMES = ("parses", "rounds", "splits", "joins", "counts", "orders")


def _rows(name: str) -> list[tuple[int, str, int, bool]]:
    """Return number, title, value and whether it fails, for each test."""
    chance = random.Random(name)
    return [
        (
            at,
            f"{chance.choice(NAMES)} {name} no. {at} ({chance.choice(WORDS)})",
            chance.randrange(900),
            chance.random() < 0.3,
        )
        for at in range(CASES[name])
    ]


def ruby(write: Write, name: str) -> None:
    """Write a library and its specs."""
    title = name.capitalize()
    write(
        f"lib/{name}.rb",
        f"module {title}\n  def self.half(value)\n"
        '    raise ArgumentError, "odd: #{value}" if value == 7\n    value / 2\n  end\nend\n',
    )
    rows = _rows(name)
    for part in range(3):
        body = [f"require_relative '../lib/{name}'", f"RSpec.describe {title} do", f"  context 'in part {part}' do"]
        for at, item, value, bad in rows[part::3]:
            entry = value // 2 + bad
            given = 7 if bad and at % 4 == 0 else value
            body.append(f"    it {item!r} do\n      expect({title}.half({given})).to eq({entry})\n    end")
        write(f"spec/{name}_{part}_spec.rb", "\n".join([*body, "  end", "end", ""]))


def php(write: Write, name: str) -> None:
    """Write a library and its tests."""
    title = name.capitalize()
    write(
        f"src/{title}.php",
        f"<?php\nclass {title} {{\n    public static function half(int $value): int {{\n"
        f'        if ($value === 7) {{ throw new InvalidArgumentException("odd: $value"); }}\n'
        f"        return intdiv($value, 2);\n    }}\n}}\n",
    )
    rows = _rows(name)
    for part in range(3):
        body = [f"<?php\nrequire_once __DIR__ . '/../src/{title}.php';\nuse PHPUnit\\Framework\\TestCase;"]
        body.append(f"class {title}{part}Test extends TestCase {{")
        for at, item, value, bad in rows[part::3]:
            given = 7 if bad and at % 4 == 0 else value
            word = item.split(" ")[0].capitalize()
            body.append(f"    public function test{word}{at}() {{")
            body.append(f"        $this->assertSame({value // 2 + bad}, {title}::half({given}));\n    }}")
        write(f"tests/{title}{part}Test.php", "\n".join([*body, "}", ""]))


def cmake(write: Write, name: str) -> None:
    """Write a project whose tests are small programs of the shell."""
    body = ["cmake_minimum_required(VERSION 3.21)", f"project({name} NONE)", "enable_testing()"]
    for at, item, value, bad in _rows(name)[:50]:
        word = item.split(" ")[0]
        script = f"echo 'check {value} of {item}'; " + (
            f"echo expected {value} but got {value + 1} >&2; exit 1" if bad else "exit 0"
        )
        if bad and at % 5 == 0:
            script = f"echo about to crash at {value}; kill -SEGV $$"
        body.append(f'add_test(NAME {name}.{word}_{at} COMMAND sh -c "{script.replace("$", chr(92) + "$")}")')
    write("CMakeLists.txt", "\n".join([*body, ""]))
