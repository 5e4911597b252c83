from tests.virtual_time import virtual_clock

__all__ = ["virtual_clock"]
