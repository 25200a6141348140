"""The world model and the heads of LMTA, each a small module on one example."""
