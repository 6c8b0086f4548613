import subprocess

import pytest

from ctxkit.core.text.switch import OFF_VALUES, is_on, make_case_pattern

VALUES = [*OFF_VALUES, "FALSE", "No", "oFF", "1", "true", "yes", "on", "2", "offf", "00", "no;", "*", "a b"]


@pytest.mark.parametrize("value", OFF_VALUES)
def test_a_value_switches_off_in_any_case(value: str) -> None:
    assert not is_on(value)
    assert not is_on(value.upper())
    assert is_on(f"{value}1")


def test_a_shell_reads_the_same_values() -> None:
    script = f'for value; do case $value in {make_case_pattern()}) echo off;; *) echo on;; esac; done'
    done = subprocess.run(["sh", "-c", script, "sh", *VALUES], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["on" if is_on(value) else "off" for value in VALUES]
