"""What training shows a network: samples, pictures, features, joints, and their variations."""
