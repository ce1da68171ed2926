"""Events to Parquet files, from there to a folder or the Hub, and back; and to tables that open elsewhere."""
