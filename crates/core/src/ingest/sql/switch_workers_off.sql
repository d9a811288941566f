-- Workers by another name than the plugin's own.
update worker_event
set
    address = iif(address glob 'worker-[0-9]*', address, null),
    name = iif(name glob 'worker-[0-9]*', name, null),
    host = null
where instance_id in (select id from instance where cluster_id = :cluster_id)
