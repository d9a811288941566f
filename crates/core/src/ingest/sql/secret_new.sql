insert or ignore into secret (cluster_id, within, row_id, fingerprint, rule, what)
values (:cluster_id, :within, :row_id, :fingerprint, :rule, :what)
