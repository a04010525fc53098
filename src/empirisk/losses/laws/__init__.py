"""What must hold for a loss, law by law; `check_loss` runs them all."""
