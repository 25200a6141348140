"""The page: plans for people, on NiceGUI, whose scripts come with its package."""
