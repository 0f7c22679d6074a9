"""The README's own path: publish, derive a test set, and be judged by it."""



