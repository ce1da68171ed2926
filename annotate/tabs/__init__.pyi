from .controller import AnnotationController as AnnotationController
from .pages import answer_terms as answer_terms
from .requests import FindPerson as FindPerson
from .requests import PageServices as PageServices
from .requests import find_nobody as find_nobody
