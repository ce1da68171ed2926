"""Serving: what stands between the network and the page; who asks, how much, in which order, under which name."""
