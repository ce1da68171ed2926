from .routes import (
    MAX_FRAME_SIDE_PX as MAX_FRAME_SIDE_PX,
)
from .routes import (
    CameraLooks as CameraLooks,
)
from .routes import (
    LiveRoutes as LiveRoutes,
)
from .routes import (
    body_in as body_in,
)
from .sessions import MAX_PICTURES as MAX_PICTURES
from .sessions import LiveSessions as LiveSessions
from .web_build import (
    WEB_BUILD as WEB_BUILD,
)
from .web_build import (
    WEB_BUILD_NAME as WEB_BUILD_NAME,
)
from .web_build import (
    WebBuild as WebBuild,
)
from .web_build import (
    fetch_web_build as fetch_web_build,
)
from .web_build import (
    is_whole_build as is_whole_build,
)
