"""Models that write summaries, one way to reach them a file."""
