update install_key set recovery_shown_micros = :now_micros where id = :id
