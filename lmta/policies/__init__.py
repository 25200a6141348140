"""What needs no learning: budget rules, node rules, and the policies they make together."""
