"""The geometry core: pure functions that number structures under § 288-15, with their reasons."""
