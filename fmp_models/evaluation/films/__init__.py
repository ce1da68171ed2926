"""Films from several calibrated cameras: pairs of real photographs whose changes were measured, not labelled by eye."""
