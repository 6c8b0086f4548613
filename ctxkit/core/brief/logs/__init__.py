"""Lines of logs: their forms and their times."""
