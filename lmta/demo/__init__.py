"""What `make demo` shows: a campaign and a tour day by day, how policies compare, and LMTA as it learns."""
