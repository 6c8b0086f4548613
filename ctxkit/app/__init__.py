"""Use cases: each joins the edge and the engines to the core."""
