"""Drop-ins: a release written for the frameworks that teams use, and found again by its mark."""
