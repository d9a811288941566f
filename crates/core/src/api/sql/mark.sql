-- What a reader says of some clusters; null leaves what is there. A tag that is null in the patch is taken away.
update cluster
set
    pinned_micros = case when :pinned is null then pinned_micros when :pinned then coalesce(pinned_micros, :now) end,
    note = iif(:note is null, note, nullif(:note, '')),
    given_name = iif(:name is null, given_name, nullif(:name, '')),
    own_tags = json_patch(own_tags, :tags)
where id in (select value from json_each(:ids))
