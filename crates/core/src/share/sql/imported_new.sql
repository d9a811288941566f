-- Imported when the last of it was received: what is received later did not come with the bundle.
insert into imported (cluster_id, imported_micros, as_of_micros, choice, fields, source_format, told_by)
select
    c.id,
    max(:now_micros, coalesce((
        select max(b.received_micros) from instance as i join batch as b on b.instance_id = i.id where i.cluster_id = c.id
    ), 0)),
    :as_of_micros, :choice, :fields, :source_format, :told_by
from cluster as c
where c.scheduler_id = :scheduler_id
