"""The page: campaigns and tours for people, on NiceGUI, whose scripts come with its package."""
