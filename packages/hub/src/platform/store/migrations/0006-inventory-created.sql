-- Lists of one kind by age.
create index inventory_object_created on inventory_object (kind, created_at) where deleted_at is null;
