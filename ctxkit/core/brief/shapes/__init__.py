"""Shapes that many tools print: records, flat keys and values, traces, profiles."""
