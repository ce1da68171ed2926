"""Files and disks: what is wrong with one in a sentence, and which are private."""
