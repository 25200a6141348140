"""An agent decides: learned planners behind one interface."""
