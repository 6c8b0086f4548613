"""Charts as SVG and HTML that need nothing else."""
