// Without a file of assembly the compiler accepts no function without a body: setAllocator.
