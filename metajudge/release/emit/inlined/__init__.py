"""What Python drop-ins carry word for word: `core` below all of them, and one text a framework."""
