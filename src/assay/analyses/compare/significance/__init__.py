"""The significance tests, one file each."""
