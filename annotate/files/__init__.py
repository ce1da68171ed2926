"""Files and disks: what is wrong with one in a sentence, which are private, and which are plain files."""
