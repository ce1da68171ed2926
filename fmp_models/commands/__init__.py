"""The commands of ``fixmypose``, one module each; ``add_arguments`` says what a command takes."""
