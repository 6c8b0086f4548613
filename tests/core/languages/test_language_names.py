"""Which language a file is in whose extension several languages share."""

import re

import pytest

from ctxkit.core.languages.language_names import (
    AMBIGUOUS_NAMES,
    LANGUAGES,
    find_ambiguous_key,
    language_of_header,
    language_of_name,
    language_of_shebang,
    resolve_language,
)


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


@pytest.mark.parametrize(
    ("name", "text", "language"),
    [
        ("init.pp", "# comment\nclass apache (\n  $port = 80,\n) {\n}\n", "puppet"),
        ("site.pp", "node 'web' {\n  include apache\n}\n", "puppet"),
        ("main.pp", "{$mode objfpc}\nunit Main;\ninterface\n", "pascal"),
        ("notes.pp", "Some words about nothing.\n", ""),
        ("thesis.cls", "% a class\n\\NeedsTeXFormat{LaTeX2e}\n", ""),
        ("Cart.cls", "/** A cart. */\npublic with sharing class Cart {\n}\n", "apex"),
        ("Cart.cls", 'VERSION 1.0 CLASS\nAttribute VB_Name = "Cart"\n', "basic"),
        ("top.v", "// top\nmodule top (\n  input a\n);\nendmodule\n", "verilog"),
        ("Nat.v", "Require Import Arith.\nLemma a : 1 = 1.\n", "coq"),
        ("main.v", "module main\n\nfn main() {\n}\n", ""),
        ("scan.l", "%{\n#include <stdio.h>\n%}\n%%\n", "lex"),
        ("array.l", ";; arrays\n(defun a () 1)\n", "lisp"),
        ("array.l", "(de a () 1)\n", "lisp"),
        ("sum.cl", "__kernel void sum(__global int *a) {\n}\n", "c"),
        ("sum.cl", "(defvar *a*)\n", "lisp"),
        ("a.cs", "!Stack methodsFor: 'adding'!\n", "smalltalk"),
        ("a.cs", "namespace A {\n}\n", "csharp"),
        ("a.m", "% adds\nfunction c = add(a, b)\n", "matlab"),
        ("a.m", "#import <Foundation/Foundation.h>\n", "objc"),
        ("a.pl", "use strict;\n", "perl"),
        ("a.pl", ":- module(a, []).\n", "prolog"),
        ("a.inc", "<?php\n", "php"),
        ("a.inc", "extern int a;\n", ""),
        ("BUILD", 'cc_library(\n    name = "a",\n)\n', "starlark"),
        ("BUILD", "How to build this: run make.\n", ""),
        ("init.tcl.in", "proc a {} {}\n", "tcl"),
        ("a.v.in", "module a;\nendmodule\n", "verilog"),
        ("a.in", "", ""),
        ("bus.sv", "package bus;\nendpackage\n", "verilog"),
        ("tutor.sv", "Välkommen till handledningen.\n", ""),
        ("web.sls", "nginx:\n  pkg.installed: []\n", ""),
        ("ir.ll", "define i32 @main() {\n  ret i32 0\n}\n", ""),
        ("run.CMD", "@echo off\r\nset A=1\r\n", "batch"),
        (".main.o.cmd", "cmd_main.o := gcc -c main.c\n", ""),
    ],
)
def test_what_a_file_holds_tells_its_language(name: str, text: str, language: str) -> None:
    assert language_of_name(name, text) == language


@pytest.mark.parametrize(
    ("name", "language"),
    [("x.vb", "basic"), ("x.nomad", "hcl"), ("a/x.bzl", "starlark"), ("x.svh", "verilog"), ("x.BAT", "batch")],
)
def test_an_extension_of_one_language_needs_no_text(name: str, language: str) -> None:
    assert language_of_name(name) == language


def test_every_language_that_a_text_tells_of_is_known() -> None:
    told = {language for rows in AMBIGUOUS_NAMES.values() for language, _ in rows}
    assert told - {""} <= set(LANGUAGES)


def test_no_shared_name_is_that_of_one_language_as_well() -> None:
    alone = {word for row in LANGUAGES.values() for word in f"{row.extensions} {row.names}".split()}
    assert not alone & set(AMBIGUOUS_NAMES)


def test_every_sign_is_a_pattern() -> None:
    assert all(re.compile(sign) for rows in AMBIGUOUS_NAMES.values() for _, sign in rows)


def test_a_key_is_the_extension_or_the_whole_name() -> None:
    assert (find_ambiguous_key("a/b.PP"), find_ambiguous_key("x/BUILD"), find_ambiguous_key("pp"), find_ambiguous_key("a.py")) == ("pp", "BUILD", "", "")
    assert resolve_language("y", "no rules") == ""
