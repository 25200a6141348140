"""One file for each command of the command line: what it takes, what it calls, what it prints."""
