"""The system that ctxkit runs on: its processes, its locks, the files of ctxkit's own, the installation."""
