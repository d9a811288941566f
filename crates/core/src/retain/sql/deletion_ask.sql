-- Asks for the deletion of the clusters :ids. Who asks again may have it sooner, counted from when it was asked for first.
insert into deletion (cluster_id, asked_micros, due_micros, for_room)
select c.id, :now, :due, :for_room from cluster as c where c.id in (select value from json_each(:ids))
on conflict (cluster_id) do update
set
    due_micros = min(due_micros, asked_micros + excluded.due_micros - excluded.asked_micros),
    for_room = min(for_room, excluded.for_room)
