SECTION_NAMES = ("base", "rules", "memories", "context", "skills", "scratchpad", "status")
