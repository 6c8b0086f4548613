"""Events of commands, and what they add up to."""
