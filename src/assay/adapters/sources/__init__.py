"""Where documents come from: folders and sites."""
