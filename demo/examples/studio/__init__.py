"""A small photo studio: Anny bodies, posed, dressed and lit, for the pictures of this folder. A development tool."""
