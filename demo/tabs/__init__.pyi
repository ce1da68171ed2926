from .annotate import open_annotation as open_annotation
from .correct import CorrectTab as CorrectTab
from .live import LiveTab as LiveTab
from .programs import ProgramsPage as ProgramsPage
from .retrieve import RetrieveTab as RetrieveTab
