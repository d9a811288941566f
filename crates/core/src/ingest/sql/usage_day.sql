insert into usage_day (day, packed) values (:day, :packed)
on conflict (day) do update set packed = excluded.packed
