"""What an answer becomes when it is shared, where a device alone cannot make it."""
