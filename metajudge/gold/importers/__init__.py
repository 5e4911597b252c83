"""Gold from elsewhere: public sets, annotation tools, frameworks and spreadsheets."""
