"""Every table and figure as a declaration, the cells they are made of, engines that run these, and the report."""
