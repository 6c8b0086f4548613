"""Token usage and stop reasons of answers, in the same terms for every provider."""
