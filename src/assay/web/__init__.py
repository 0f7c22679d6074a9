"""The HTTP surface: thin. It reads a request, asks the application, and sends what a contract projects."""
