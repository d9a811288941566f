-- Text stays where a later record has none, as of a plugin that could not seal it; and comes in where it is late itself.
update exception
set
    message_sealed = :message_sealed,
    traceback_sealed = :traceback_sealed,
    details_sealed = :details_sealed,
    fingerprint = :fingerprint
where
    cluster_id = :cluster_id
    and exception_id = :exception_id
    and (:stands or coalesce(message_sealed, traceback_sealed, details_sealed) is null)
