"""`python -m modelcheck`"""

from modelcheck.cli import main

if __name__ == "__main__":
    main()
