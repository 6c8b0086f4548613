import json

import pytest

from ctxkit.core.lint.rule import ERROR
from ctxkit.core.trouble import BadSettings, Malformed, MissingInput, Misuse
from ctxkit.edge.lint.choices import Choices


def test_options_hold_before_settings():
    control = Choices(select="dup,ref001", extend_select="HYG", fail_level="error").control({"select": ["MEM"], "ignore": ["CTX"]})
    assert (control.select, control.ignore, control.extend_select) == (("DUP", "REF001"), ("CTX",), ("HYG",))
    assert control.fail_level is ERROR


def test_a_rule_that_there_is_not_is_told_by_who_named_it():
    with pytest.raises(Misuse, match="XYZ"):
        Choices(ignore="XYZ").control({})
    for table in ({"select": ["XYZ"]}, {"per_file_ignores": {"*": ["XYZ"]}}):
        with pytest.raises(BadSettings, match="XYZ"):
            Choices().control(table)


def test_a_baseline_is_read_unless_it_is_to_be_written(tmp_path):
    file = tmp_path / "known.json"
    control = Choices(baseline=str(file)).control({})
    assert Choices().job(control, updating=True).known == {}
    with pytest.raises(MissingInput, match="known"):
        Choices().job(control, updating=False)
    file.write_text("[]")
    with pytest.raises(Malformed, match="baseline"):
        Choices().job(control, updating=False)
    file.write_text(json.dumps({"findings": [{"fingerprint": "f"}]}))
    assert Choices().job(control, updating=False).known == {"f": 1}
