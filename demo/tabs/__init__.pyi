from .all_tabs import Tab as Tab
from .all_tabs import page_tabs as page_tabs
from .annotate import open_annotation as open_annotation
from .annotate import ranker as ranker
from .live import LiveTab as LiveTab
from .programs import ProgramsPage as ProgramsPage
