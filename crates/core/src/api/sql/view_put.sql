-- Keeps a view; one of the same name is replaced.
insert into saved_view (name, saved_micros, text) values (:name, :now, :text)
on conflict (name) do update set saved_micros = excluded.saved_micros, text = excluded.text
