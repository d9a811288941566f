delete from usage_day_stale where day = :day
