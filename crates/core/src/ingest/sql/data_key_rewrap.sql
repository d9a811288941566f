update data_key set wrapped = :wrapped, install_key_id = :install_key_id where id = :id
