"""Commands of ``fixmypose``, one module for each group; ``add_NAME_arguments`` declares a command's arguments."""
