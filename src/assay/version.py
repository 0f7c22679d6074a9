"""The version of this package, which `import assay` offers as `__version__`."""

__version__ = "0.1.0"
