select id from install_key where public_key = :public_key
