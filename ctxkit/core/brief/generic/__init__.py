"""The map of text that no kind knows: line forms, sections by recurrence, and a selection within the target."""
