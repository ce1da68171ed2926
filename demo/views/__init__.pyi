from .chat import chat_fault as chat_fault
from .chat import chat_refusal as chat_refusal
from .chat import chat_reply as chat_reply
from .correction import (
    Seal as Seal,
)
from .correction import (
    answer_fault_html as answer_fault_html,
)
from .correction import (
    answer_refusal_html as answer_refusal_html,
)
from .correction import (
    correction_html as correction_html,
)
from .correction import (
    difference_html as difference_html,
)
from .correction import (
    empty_answer_html as empty_answer_html,
)
from .correction import (
    in_other_languages as in_other_languages,
)
from .correction import (
    no_seal as no_seal,
)
from .correction import (
    speakers as speakers,
)
from .edits import (
    edit_fault_html as edit_fault_html,
)
from .edits import (
    edit_refusal_html as edit_refusal_html,
)
from .edits import (
    edited_html as edited_html,
)
from .edits import (
    imaginable as imaginable,
)
from .edits import (
    imagined_html as imagined_html,
)
from .ranking import (
    collection_html as collection_html,
)
from .ranking import (
    empty_ranking_html as empty_ranking_html,
)
from .ranking import (
    ranking_fault_html as ranking_fault_html,
)
from .ranking import (
    ranking_html as ranking_html,
)
from .ranking import (
    ranking_refusal_html as ranking_refusal_html,
)
from .steps import highlighted_joints as highlighted_joints
from .steps import played as played
