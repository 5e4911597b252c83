"""`python -m metajudge`."""

from metajudge.cli import main

if __name__ == "__main__":
    main()
