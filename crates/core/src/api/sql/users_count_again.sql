-- Each cluster counts as whom its own user counts as. Only those are written for which that changed.
update cluster
set user = coalesce((select m.person from user_merge as m where m.user = cluster.said_user), said_user)
where
    said_user is not null
    and user is not coalesce((select m.person from user_merge as m where m.user = cluster.said_user), said_user)
