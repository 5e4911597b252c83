"""An answer checked at answer time: shown, stripped of what nothing supports, or held back."""
