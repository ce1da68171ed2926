"""Publishing: events to Parquet files, from there to a folder or the Hub, and back; and to tables for elsewhere."""
