select id from cluster where pinned_micros is not null order by id
