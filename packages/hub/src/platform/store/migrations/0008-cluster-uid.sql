-- Which cluster a name means is kept in one place: UID of the namespace kube-system, as it was first said or confirmed.
-- Until now each Hello wrote it here, and the one that was held to was the inventory's.
alter table cluster add column replacement_uid text collate "C";

update cluster set kube_system_uid = i.kube_system_uid, replacement_uid = i.replacement_uid
from inventory_cluster i where i.cluster = cluster.name;

alter table inventory_cluster drop column replacement_uid;
