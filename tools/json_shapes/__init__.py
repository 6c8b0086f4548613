"""The shapes of --json, as types from which the JSON Schemas in ctxkit/schema are made. No command imports them."""
