"""Where people label: a page on this machine, and the queue behind it."""
