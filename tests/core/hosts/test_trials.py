import json
import re
import tomllib

import pytest

from ctxkit.core.hosts.host_table import MODULES
from ctxkit.core.hosts.trials import FORBIDDEN_WORD, TRIALS

ADDRESS = "http://127.0.0.1:1"


def test_each_trial_is_of_a_host() -> None:
    assert set(TRIALS) <= set(MODULES)


@pytest.mark.parametrize("name", TRIALS)
def test_a_setup_names_the_model_and_a_rule(name: str) -> None:
    trial = TRIALS[name]
    setup = trial.make_setup(ADDRESS)
    files = {**setup.home, **setup.project}
    for path, text in files.items():
        if path.endswith(".json"):
            assert json.loads(text)
        elif path.endswith(".toml"):
            assert tomllib.loads(text)
    text = " ".join([*files.values(), *setup.environment.values()])
    assert ADDRESS in text
    assert (FORBIDDEN_WORD in text + " ".join(trial.args)) == trial.has_rules
    assert re.compile(trial.noise)
