from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.lint.effort import Effort
from ctxkit.core.lint.likeness import jaccard
from ctxkit.core.lint.pairs import ALIKE, candidates, weights

bags = st.dictionaries(
    st.integers(0, 40).map(str), st.frozensets(st.sampled_from("abcdefghijklmnop"), min_size=1, max_size=6), max_size=24
)


@given(bags)
def test_no_pair_that_overlaps_enough_is_missed(said):
    weigh = weights(said)
    found = set(candidates(said, weigh, lambda one, two: True, Effort(len(said))))
    keys = list(said)
    for index, two in enumerate(keys):
        for one in keys[:index]:
            enough = jaccard(said[one], said[two], weigh.__getitem__) >= ALIKE + 1e-9
            assert not enough or (one, two) in found
            assert (two, one) not in found


@given(bags)
def test_pairs_that_never_meet_are_left_out(said):
    assert list(candidates(said, weights(said), lambda one, two: False, Effort(len(said)))) == []
