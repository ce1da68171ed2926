from .edited import EditedText as EditedText
from .edited import TextEditor as TextEditor
from .scores import read_edit_instances as read_edit_instances
from .scores import read_edited as read_edited
from .scores import score_edits as score_edits
from .scores import score_lines as score_lines
from .scores import score_oracle as score_oracle
