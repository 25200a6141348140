"""The arena: the same instances and the same luck for everyone, statistics, timing, tables."""
