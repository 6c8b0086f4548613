"""Print the scores of each package of one half."""

from bench.repository import main

main()
