"""What ctxkit finds out about the system that it runs on: its processes, its files, its installation."""
