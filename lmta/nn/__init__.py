"""Networks that know nothing of planning: message passing on graphs, numbers as categories."""
