-- The views that are kept, by name.
select saved_micros, text from saved_view order by name collate nocase, name limit :limit
