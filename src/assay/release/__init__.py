"""Going live and going back."""
