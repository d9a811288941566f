insert into retention_clock (id, trusted_micros, ahead_micros) values (1, :trusted_micros, :ahead_micros)
on conflict (id) do update set trusted_micros = excluded.trusted_micros, ahead_micros = excluded.ahead_micros
