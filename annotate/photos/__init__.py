"""Photographs that people give: read as pixels, faces painted over, held in memory until the answer."""
