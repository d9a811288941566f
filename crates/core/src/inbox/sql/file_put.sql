insert or replace into inbox_file
    (folder, name, size_bytes, modified_micros, offset_bytes, scheduler_id, instance_id, refused)
values (:folder, :name, :size_bytes, :modified_micros, :offset_bytes, :scheduler_id, :instance_id, :refused)
