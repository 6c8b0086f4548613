"""The budget of a context window by component: measurement, thresholds, and the notes for a model."""
