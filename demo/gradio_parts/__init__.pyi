from .app_blocks import (
    GRADIO_PREFIX as GRADIO_PREFIX,
)
from .app_blocks import (
    OF_MODELS as OF_MODELS,
)
from .app_blocks import (
    REFUSED_CALL_HANDLERS as REFUSED_CALL_HANDLERS,
)
from .app_blocks import (
    AppBlocks as AppBlocks,
)
from .app_blocks import (
    CloseRoutes as CloseRoutes,
)
from .app_blocks import (
    LoginErrorRedirect as LoginErrorRedirect,
)
from .app_blocks import (
    install_function_lookup as install_function_lookup,
)
from .components import (
    MODEL_QUEUE as MODEL_QUEUE,
)
from .components import (
    WORKERS as WORKERS,
)
from .components import (
    AnswerLanguage as AnswerLanguage,
)
from .components import (
    AnswerModel as AnswerModel,
)
from .components import (
    ApiBody as ApiBody,
)
from .components import (
    ApiChanges as ApiChanges,
)
from .components import (
    ApiHistory as ApiHistory,
)
from .components import (
    ApiJoints as ApiJoints,
)
from .components import (
    ApiOrientation as ApiOrientation,
)
from .components import (
    ApiPage as ApiPage,
)
from .components import (
    ApiParts as ApiParts,
)
from .components import (
    ApiPoint as ApiPoint,
)
from .components import (
    ApiText as ApiText,
)
from .components import (
    DescriptionLanguage as DescriptionLanguage,
)
from .components import (
    FindForm as FindForm,
)
from .components import (
    FindRequest as FindRequest,
)
from .components import (
    Form as Form,
)
from .components import (
    NoPhotograph as NoPhotograph,
)
from .components import (
    OwnWords as OwnWords,
)
from .components import (
    OwnWordsForm as OwnWordsForm,
)
from .components import (
    Request as Request,
)
from .components import (
    Sent as Sent,
)
from .components import (
    UploadedPhotograph as UploadedPhotograph,
)
from .components import (
    UploadedPhotographs as UploadedPhotographs,
)
from .components import (
    add_endpoint as add_endpoint,
)
from .components import (
    bind_chat as bind_chat,
)
from .components import (
    bind_edit as bind_edit,
)
from .components import (
    bind_form as bind_form,
)
from .components import (
    bind_own_words as bind_own_words,
)
from .components import (
    is_address as is_address,
)
from .components import (
    read_body as read_body,
)
from .components import (
    read_changes as read_changes,
)
from .components import (
    read_history as read_history,
)
from .components import (
    read_orientation as read_orientation,
)
from .components import (
    read_parts as read_parts,
)
from .components import (
    read_point as read_point,
)
from .gradio_internals import (
    BlockFunction as BlockFunction,
)
from .gradio_internals import (
    Event as Event,
)
from .gradio_internals import (
    EventMessage as EventMessage,
)
from .gradio_internals import (
    EventQueue as EventQueue,
)
from .gradio_internals import (
    GradioMCPServer as GradioMCPServer,
)
from .gradio_internals import (
    LRUCache as LRUCache,
)
from .gradio_internals import (
    ProcessCompletedMessage as ProcessCompletedMessage,
)
from .gradio_internals import (
    Queue as Queue,
)
from .gradio_internals import (
    UnexpectedErrorMessage as UnexpectedErrorMessage,
)
from .gradio_internals import (
    cut_connections as cut_connections,
)
from .gradio_internals import (
    document_environment as document_environment,
)
from .gradio_internals import (
    error_payload as error_payload,
)
from .gradio_internals import (
    event_id as event_id,
)
from .gradio_internals import (
    forget_files as forget_files,
)
from .gradio_internals import (
    forget_session as forget_session,
)
from .gradio_internals import (
    http_server as http_server,
)
from .gradio_internals import (
    oauth as oauth,
)
from .gradio_internals import (
    queue_of as queue_of,
)
from .gradio_internals import (
    replace as replace,
)
from .gradio_internals import (
    route_utils as route_utils,
)
from .gradio_internals import (
    run_coro_in_background as run_coro_in_background,
)
from .gradio_internals import (
    waiting_events as waiting_events,
)
from .zero_gpu import (
    LENT as LENT,
)
from .zero_gpu import (
    on_gpu as on_gpu,
)
