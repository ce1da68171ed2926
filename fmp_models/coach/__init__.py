"""Live coach: takes frames of a person and gives one instruction at a time until they hold the target pose."""
