"""What single classes have in common with the package that made their method known, and no table can say: one module a package or family of methods."""
