-- The rules that a reader set.
select changed_micros, cap_bytes, profiles_days, code_days, exceptions_days, events_days, samples_days from retention
