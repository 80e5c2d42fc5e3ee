/** A DNS label (RFC 1123), as Kubernetes uses it: cluster names are part of URLs, certificates and file names. */
export function isDnsLabel(name: string): boolean {
  return /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(name);
}
