-- Time of threads while clusters were stalled, in the hours [:first_hour, :end_hour).
select hour, cluster_id, stalled_micros from stalled_hour where hour >= :first_hour and hour < :end_hour
