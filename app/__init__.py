"""Everything that touches the world: files, the web, the command line."""
