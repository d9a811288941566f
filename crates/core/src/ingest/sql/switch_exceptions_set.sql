update exception set fingerprint = :fingerprint where id = :id
