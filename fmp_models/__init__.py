"""Everything learned and the geometry beneath it; knows no page and no store."""
