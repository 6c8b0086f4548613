"""Which files an agent loads, when, and together with which others."""
