require_relative 'b'

module Outer
  LIMIT = 3

  # Documented.
  class Thing < Base
    attr_reader :name

    def initialize(name)
      @name = name
    end

    def self.make
      new('x')
    end
  end
end

def top
  1
end
