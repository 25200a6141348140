"""What is decided: the rules of each problem, its generators and importers, and its views."""
