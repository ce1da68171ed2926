"""Commands of ``fixmypose``, one module each; ``add_arguments`` declares a command's arguments."""
