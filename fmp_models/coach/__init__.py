"""The live coach: frames of a person in, one instruction at a time out, until they stand in the target pose."""
