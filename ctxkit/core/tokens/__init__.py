"""Count and estimate tokens."""
