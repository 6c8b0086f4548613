"""Fit the weights that ctxkit ships: of estimates of tokens, and of the lines that an agent needs."""
