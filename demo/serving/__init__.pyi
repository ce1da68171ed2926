from .call_queue import AnswerStreams as AnswerStreams
from .call_queue import install_call_queue as install_call_queue
from .connections import (
    AllowedHosts as AllowedHosts,
)
from .connections import (
    CheckHosts as CheckHosts,
)
from .connections import (
    address_of as address_of,
)
from .connections import (
    limit_connections as limit_connections,
)
from .documents import Compress as Compress
from .documents import install_document as install_document
from .request_bodies import LIVE_PREFIX as LIVE_PREFIX
from .request_bodies import LOOK_PATH as LOOK_PATH
from .request_bodies import BoundBodies as BoundBodies
from .routes import (
    LoopRoute as LoopRoute,
)
from .routes import (
    answering as answering,
)
from .routes import (
    install_tool_server as install_tool_server,
)
from .routes import (
    pixels_of_jpeg as pixels_of_jpeg,
)
from .startup import (
    OpenedAnswers as OpenedAnswers,
)
from .startup import (
    check_port as check_port,
)
from .startup import (
    install_plain_log as install_plain_log,
)
from .startup import (
    keep_few_arenas as keep_few_arenas,
)
from .startup import (
    open_answers as open_answers,
)
from .startup import (
    port_in_use as port_in_use,
)
from .uploads import (
    CountUploads as CountUploads,
)
from .uploads import (
    UploadFolder as UploadFolder,
)
from .uploads import (
    UploadLedger as UploadLedger,
)
from .uploads import (
    install_upload_parser as install_upload_parser,
)
from .uploads import (
    read_upload as read_upload,
)
from .uploads import (
    texts_in as texts_in,
)
