"""`python -m camphor` is the `camphor` command."""

from camphor.cli import main

raise SystemExit(main())
