"""What the hooks of agent hosts keep and answer, and what a replay of their sessions shows."""
