-- Asks for the deletion of the clusters :ids.
insert into deletion (cluster_id, asked_micros, due_micros)
select c.id, :now, :due from cluster as c where c.id in (select value from json_each(:ids))
on conflict (cluster_id) do update set due_micros = min(due_micros, excluded.due_micros)
