"""The providers; each module recognizes and reads the answers of one provider."""
