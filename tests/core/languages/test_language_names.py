
import pytest

from ctxkit.core.languages.language_names import language_of_header, language_of_name, language_of_shebang


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("main.rs", "rust"),
        ("src/App.TSX", "tsx"),
        ("a/b/Makefile", "make"),
        ("Rakefile", "ruby"),
        ("x.hpp", "cpp"),
        ("Program.cs", "csharp"),
        ("build.gradle.kts", "kotlin"),
        ("notes.md", ""),
        ("data.json", ""),
        ("README", ""),
        (".py", ""),
        ("", ""),
    ],
)
def test_a_file_name_tells_the_language(name: str, language: str) -> None:
    assert language_of_name(name) == language


@pytest.mark.parametrize(
    ("line", "language"),
    [
        ("#!/bin/sh", "bash"),
        ("#!/usr/bin/env python3", "python"),
        ("#!/usr/bin/env -S uv run --script", "python"),
        ("#!/usr/local/bin/python3.12 -u", "python"),
        ("#!/usr/bin/env FOO=1 node", "javascript"),
        ("#! /usr/bin/perl -w", "perl"),
        ("#!/usr/bin/unheard-of", ""),
        ("#!", ""),
        ("# a comment", ""),
    ],
)
def test_the_interpreter_tells_the_language(line: str, language: str) -> None:
    assert language_of_shebang(line) == language


def test_a_header_is_of_cpp_where_two_of_its_lines_can_be_nothing_else() -> None:
    plain = "#ifndef A_H\n#define A_H\nstruct point { int x; };\nint area(struct point *p);\n#endif\n"
    assert language_of_header(plain) == "c"
    assert language_of_header(plain + "/* a class of its own */\n") == "c"
    assert language_of_header("namespace geo {\ntemplate <typename T>\nclass Point {};\n}\n") == "cpp"


@pytest.mark.parametrize(
    ("line", "language"),
    [
        ("# -*- shell-script -*-", "bash"),
        ("// -*- mode: C++; tab-width: 4 -*-", "cpp"),
        ("# vim: set ft=ruby:", "ruby"),
        ("# vim: sw=4", ""),
        ("# -*- coding: utf-8 -*-", ""),
    ],
)
def test_a_mode_line_tells_the_language(line: str, language: str) -> None:
    assert language_of_shebang(line) == language


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("docker/Dockerfile.dev", "dockerfile"),
        ("Makefile.am", "make"),
        ("a.vue", "vue"),
        ("schema.proto", "protobuf"),
        ("main.tf", "hcl"),
        ("CMakeLists.txt", "cmake"),
        ("Jenkinsfile", "groovy"),
        ("a.scss", "scss"),
        ("configure.ac", ""),
    ],
)
def test_names_of_files_that_no_grammar_reads(name: str, language: str) -> None:
    assert language_of_name(name) == language
