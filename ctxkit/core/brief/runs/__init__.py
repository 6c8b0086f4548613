"""Output of test runners: failures, results and their outlines."""
