select public_key from install
