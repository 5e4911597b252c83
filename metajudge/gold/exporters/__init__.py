"""Gold to elsewhere: tables, saved data sets and annotation tools; what comes back is the same."""
