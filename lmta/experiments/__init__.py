"""One file for each table or figure; every one runs from the command line and says how."""
