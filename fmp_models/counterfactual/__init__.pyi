from .baselines import choice_scores as choice_scores
from .baselines import choice_scores_table as choice_scores_table
from .dataset import write_counterfactual as write_counterfactual
from .minimal_pairs import measure_minimal_pairs as measure_minimal_pairs
from .minimal_pairs import minimal_pairs_table as minimal_pairs_table
