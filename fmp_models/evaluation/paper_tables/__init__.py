"""The paper's tables made anew, and the tables of levers."""
