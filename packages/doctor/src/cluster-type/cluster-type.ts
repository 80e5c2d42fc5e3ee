export const clusterTypes = ["eks", "gke", "aks", "openshift", "oke", "generic"] as const;
export type ClusterType = (typeof clusterTypes)[number];
