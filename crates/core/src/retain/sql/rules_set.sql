insert into retention (
    id, changed_micros, cap_bytes, profiles_days, code_days, exceptions_days, events_days, samples_days
)
values (1, :now, :cap_bytes, :profiles_days, :code_days, :exceptions_days, :events_days, :samples_days)
on conflict (id) do update set
    changed_micros = excluded.changed_micros,
    cap_bytes = excluded.cap_bytes,
    profiles_days = excluded.profiles_days,
    code_days = excluded.code_days,
    exceptions_days = excluded.exceptions_days,
    events_days = excluded.events_days,
    samples_days = excluded.samples_days
