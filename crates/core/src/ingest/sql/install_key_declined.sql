update install_key set recovery_declined_micros = :now_micros where id = :id
