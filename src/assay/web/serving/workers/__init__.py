"""Several worker processes that answer on one port, and the parent process that starts, watches and stops them."""
