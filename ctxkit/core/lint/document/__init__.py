"""Instruction files of a workspace: their blocks, units and findings."""
