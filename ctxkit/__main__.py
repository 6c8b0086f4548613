"""Run ctxkit as ``python -m ctxkit``."""

from ctxkit.main import main

if __name__ == "__main__":
    main()
