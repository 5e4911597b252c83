"""The gate of a pull request: is the system still as good as when its baseline was written?"""
