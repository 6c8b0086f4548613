REPAIRED_RULES = ("unanswered", "orphan", "extra", "displaced", "behind", "repeated")
"""Rules that every repaired conversation satisfies."""
