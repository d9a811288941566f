insert into install_key (created_micros, public_key) values (:now_micros, :public_key)
