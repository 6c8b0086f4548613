"""Output of compilers, linters and build tools: findings, steps and closing lines."""
