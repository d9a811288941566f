-- The packed days of [:first_day, :end_day).
select day, packed from usage_day where day >= :first_day and day < :end_day order by day
