insert into install (id, created_micros, public_key) values (1, :now_micros, :public_key)
