"""Commands whose output goes through the gate."""
