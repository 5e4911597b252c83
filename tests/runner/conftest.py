from tests.virtual_time import virtual_clock as virtual_clock
