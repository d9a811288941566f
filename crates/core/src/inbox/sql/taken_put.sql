-- What became of a file. `:goes_on` adds to what is known of it; `:begun` says that its beginning was read before, which counts
-- only where that is known.
insert into inbox_taken (folder, name, at_micros, size_bytes, fate, records, taken, left_out, why, aside)
values (
    :folder,
    :name,
    :at_micros,
    :size_bytes,
    :fate,
    iif(:begun, null, :records),
    :taken,
    :left_out,
    :why,
    :aside
)
on conflict (folder, name) do update set
    at_micros = excluded.at_micros,
    size_bytes = excluded.size_bytes,
    fate = excluded.fate,
    records = iif(:goes_on, records + :records, :records),
    taken = excluded.taken,
    left_out = excluded.left_out,
    why = excluded.why,
    aside = excluded.aside
returning id
