from .annotate import open_annotation as open_annotation
from .correct import CORRECT_TAB as CORRECT_TAB
from .correct import CorrectTab as CorrectTab
from .live import LIVE_TAB as LIVE_TAB
from .live import LiveTab as LiveTab
from .programs import ProgramsPage as ProgramsPage
from .retrieve import RETRIEVE_TAB as RETRIEVE_TAB
from .retrieve import RetrieveTab as RetrieveTab
