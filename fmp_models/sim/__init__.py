"""A simulator of people who move in furnished rooms: bodies, motions, rooms, pictures. Needs anny and pyvista."""
