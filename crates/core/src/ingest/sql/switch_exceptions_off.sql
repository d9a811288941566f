update exception
set message_sealed = null, traceback_sealed = null, details_sealed = null
where cluster_id = :cluster_id
