import torch

# Networks of a few hundred numbers lose more time than they win when threads wait for each other.
torch.set_num_threads(1)
