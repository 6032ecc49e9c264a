"""What the golden scripts share: their command line, the shape of their files."""
