// Marks that the hub writes on its mirrors, beside the stamps that copies in clusters have, too.

/** A label, on each mirror: by it those of one cluster are found. */
export const clusterLabel = "fairlead.dev/cluster";
/** Namespace and name in the cluster. */
export const sourceNameAnnotation = "fairlead.dev/source-name";
/** By which rules of the hub it was made. */
export const rulesAnnotation = "fairlead.dev/mirror-rules";
/** It was the hub's own while the cluster was managed, and what is in the cluster was its copy. Says with which finalizers. */
export const copiedAnnotation = "fairlead.dev/was-managed";
