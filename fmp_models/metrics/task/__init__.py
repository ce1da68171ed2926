"""The paper's task-specific metrics: object-match, body-part-match and direction-match."""
