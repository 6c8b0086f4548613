"""Stacks of many threads, and reports of sanitizers and memory checkers."""
