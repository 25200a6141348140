"""The arena: the same instances and the same noise for everyone, statistics, timing, tables."""
