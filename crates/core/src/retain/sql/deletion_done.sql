-- Counts a deletion that somebody asked for.
update deletions_done set clusters = clusters + 1
where not (select for_room from deletion where cluster_id = :cluster_id)
