-- Functions of a cluster that are in none of its profiles any more: in :frames are those that are.
delete from cluster_frame
where cluster_id = :cluster_id and frame_id not in (select value from json_each(:frames))
