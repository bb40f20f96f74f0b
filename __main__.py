"""`python -m simtlab` is the `simtlab` command."""

from .cli import main

if __name__ == "__main__":
    main()
