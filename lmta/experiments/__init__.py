"""Every table and figure as a declaration; cells that are trained, played and kept; engines that run them; the report."""
