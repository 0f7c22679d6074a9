"""Pages read and cut in other processes: `read_ahead` conducts, `process` holds one worker, `child` runs in it."""
