"""Publishing: events as Parquet files in a folder or on the Hub, their import back, and exports as tables."""
