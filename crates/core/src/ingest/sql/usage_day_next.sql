-- The next day to pack: not the one that still goes on.
select day from usage_day_stale where day < :today order by day limit 1
