import json
from pathlib import Path

import pytest

from ctxkit.core.errors import MalformedInputError, MissingInputError, SettingsError, UsageError
from ctxkit.core.lint.document.finding import ERROR
from ctxkit.edge.lint.options import DedupeOptions


def test_options_hold_before_settings() -> None:
    control = DedupeOptions(select="dup,ref001", extend_select="HYG", fail_level="error").resolve_control({"select": ["MEM"], "ignore": ["CTX"]})
    assert (control.select, control.ignore, control.extend_select) == (("DUP", "REF001"), ("CTX",), ("HYG",))
    assert control.fail_level is ERROR


def test_a_rule_that_there_is_not_is_told_by_who_named_it() -> None:
    with pytest.raises(UsageError, match="XYZ"):
        DedupeOptions(ignore="XYZ").resolve_control({})
    for table in ({"select": ["XYZ"]}, {"per_file_ignores": {"*": ["XYZ"]}}):
        with pytest.raises(SettingsError, match="XYZ"):
            DedupeOptions().resolve_control(table)


def test_a_baseline_is_read_unless_it_is_to_be_written(tmp_path: Path) -> None:
    file = tmp_path / "known.json"
    control = DedupeOptions(baseline=str(file)).resolve_control({})
    assert DedupeOptions(update_baseline=True).make_job(control).baseline_counts == {}
    with pytest.raises(MissingInputError, match="known"):
        DedupeOptions().make_job(control)
    file.write_text("[]")
    with pytest.raises(MalformedInputError, match="baseline"):
        DedupeOptions().make_job(control)
    file.write_text(json.dumps({"findings": [{"fingerprint": "f"}]}))
    assert DedupeOptions().make_job(control).baseline_counts == {"f": 1}
