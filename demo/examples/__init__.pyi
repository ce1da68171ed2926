from .catalogue import (
    EXAMPLES as EXAMPLES,
)
from .catalogue import (
    OPENING as OPENING,
)
from .catalogue import (
    OTHER_LEG as OTHER_LEG,
)
from .catalogue import (
    RETRIEVAL as RETRIEVAL,
)
from .catalogue import (
    SUN_SALUTATION as SUN_SALUTATION,
)
from .catalogue import (
    ExampleRoutes as ExampleRoutes,
)
