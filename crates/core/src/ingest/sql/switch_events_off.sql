delete from event
where
    cluster_id = :cluster_id
    and topic_id not in (select id from name where text in (select value from json_each(:events_allow)))
