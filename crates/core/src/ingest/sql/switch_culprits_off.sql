-- Workers of exceptions by another name than the plugin's own.
update exception
set worker = null
where cluster_id = :cluster_id and worker not glob 'worker-[0-9]*'
