"""Whom to vaccinate today while an epidemic spreads: a problem for lmta, and its tutorial."""
