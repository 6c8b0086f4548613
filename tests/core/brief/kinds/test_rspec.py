from ctxkit.core.brief.kinds import rspec as kind

LOG = """\
.FF*

Pending: (Failures listed here are expected and do not affect your suite's status)

  1) Box waits
     # not yet
     # ./spec/box_spec.rb:30

Failures:

  1) Box keeps a
     Failure/Error: expect(box.a).to eq(2)

       expected: 2
            got: 1

       (compared using ==)
     # ./spec/box_spec.rb:5:in `block (2 levels) in <top (required)>'

  2) Box raises
     Failure/Error: raise ArgumentError, "odd: 7"

     ArgumentError:
       odd: 7
     # /usr/lib/ruby/gems/thing.rb:3:in `call'
     # ./spec/box_spec.rb:9:in `block (2 levels) in <top (required)>'

Finished in 0.01 seconds (files took 0.1 seconds to load)
4 examples, 2 failures, 1 pending

Failed examples:

rspec ./spec/box_spec.rb:4 # Box keeps a
rspec ./spec/box_spec.rb:8 # Box raises
"""


def test_what_a_log_says(trial) -> None:
    text = trial(kind).map(LOG)
    assert "- 29: 4 examples, 2 failures, 1 pending\n" in text
    assert "Lines 11-19: Box keeps a\n" in text
    assert "  - 14:        expected: 2\n" in text
    assert "  - 24:        odd: 7\n" in text
    assert "./spec/box_spec.rb:9:in" in text
    assert "Box waits" not in text.partition("## More lines")[0]
    assert "without a block" not in text


def test_names_alone_are_kept_where_blocks_are_cut_off(trial) -> None:
    text = trial(kind).map(LOG[LOG.index("Finished") :])
    assert "rspec ./spec/box_spec.rb:8 # Box raises" in text or "Box raises" in text


def test_a_file_that_does_not_load_is_a_failure(trial) -> None:
    text = trial(kind).map(
        "\nAn error occurred while loading ./spec/a_spec.rb.\nFailure/Error: require 'nothing'\n\nLoadError:\n  cannot load such file\n"
        "# ./spec/a_spec.rb:1:in `<top (required)>'\n\n0 examples, 0 failures, 1 error occurred outside of examples\n"
    )
    assert "0 examples, 0 failures, 1 error occurred outside of examples" in text
    assert "An error occurred while loading ./spec/a_spec.rb." in text
