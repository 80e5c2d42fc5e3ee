/** Where the hub offers a cluster's API. Undefined: the hub wasn't told its own address. */
export function clusterAddress(publicUrl: string | undefined, cluster: string): string | undefined {
  return publicUrl === undefined ? undefined : `${publicUrl.replace(/\/$/, "")}/k8s/clusters/${cluster}`;
}
