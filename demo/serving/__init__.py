"""Between the network and the page: who asks, how much, in which order, and under which name."""
