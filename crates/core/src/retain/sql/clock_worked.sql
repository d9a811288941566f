update retention_clock set worked_micros = :now
