"""Module."""
import os

LIMIT = 3

# A comment
# of two lines.
@decorated
def top(a,
        b=LIMIT):
    local = 1

    def nested():
        pass
    return local


class Thing(Base):
    attribute = 2

    @property
    def value(self):
        return self.attribute

    async def run(self):
        pass


if __name__ == "__main__":
    top(1)
