// The epoch of a cluster's identities in a certificate, beside the names: raised when those of before don't count any more.

export function epochUri(epoch: number): string {
  return `urn:fairlead:epoch:${epoch}`;
}

/** Undefined unless the text is exactly what `epochUri` writes. */
export function parseEpochUri(uri: string): number | undefined {
  const match = /^urn:fairlead:epoch:(0|[1-9]\d{0,9})$/.exec(uri);
  return match ? Number(match[1]) : undefined;
}
