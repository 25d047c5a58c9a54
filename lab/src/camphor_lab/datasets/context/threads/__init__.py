"""How the threads of a life are made, one function a kind (the table in `lives`)."""
