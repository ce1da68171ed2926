"""Files and disks: disk errors as sentences, private files and folders, and file systems."""
