"""Serving: the layer between the network and the page, with host names, visitors, the queue, uploads and limits."""
