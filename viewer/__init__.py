"""The page of `simtlab view`: a recording in one file that a browser opens from disk.

The page's own program is written in TypeScript (folder web of the repository) and built into
assets/, so that using simtlab needs no Node.
"""
