from .coaching import COURSE_ROWS as COURSE_ROWS
from .coaching import DEFAULT_HOLD_SECONDS as DEFAULT_HOLD_SECONDS
from .coaching import Advice as Advice
from .coaching import Coach as Coach
from .coaching import SpokenCue as SpokenCue
from .coaching import Tolerance as Tolerance
from .motion import MotionStep as MotionStep
from .motion import describe_motion as describe_motion
