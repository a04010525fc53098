"""What methods that visit rows one by one are made of: samples, lengths of steps, means, lazy updates."""
