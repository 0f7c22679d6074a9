"""The HTTP surface, a thin layer: parse the request, call the application, send the contract's projection."""
