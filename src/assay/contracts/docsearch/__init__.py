"""The contract of DocSearch boxes and other clients of Algolia's search API."""
