insert or replace into cluster_switch (cluster_id, code, events_allow) values (:cluster_id, :code, :events_allow)
