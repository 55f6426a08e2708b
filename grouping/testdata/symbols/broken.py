def first():
    return 1

class (((:
  def
def last(x):
    return x
