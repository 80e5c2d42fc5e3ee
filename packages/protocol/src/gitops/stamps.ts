// The annotations that a target writes on its objects, so that it knows after a restart what it had committed.
import type { GitopsMetadata } from "./objects.ts";

export interface Stamps {
  /** The source's uid of this object. */
  readonly sourceUid: string;
  /** Which hub wrote it, or had it written. */
  readonly hubUid: string;
  /** The version that was committed. */
  readonly version: bigint;
  /** `hashOf` what was written, without stamps: another hash now means that it was changed here. */
  readonly writtenHash: bigint;
  /** Its namespace on the hub, with the mapping by destination, where it is in Argo CD's own namespace here. */
  readonly remappedFrom?: string | undefined;
}

export function toStampAnnotations(stamps: Stamps): Record<string, string> {
  const { sourceUid, hubUid, version, writtenHash, remappedFrom } = stamps;
  return {
    [stampAnnotations.sourceUid]: sourceUid,
    [stampAnnotations.hubUid]: hubUid,
    [stampAnnotations.version]: version.toString(16),
    [stampAnnotations.writtenHash]: writtenHash.toString(16),
    ...(remappedFrom !== undefined && { [stampAnnotations.remappedFrom]: remappedFrom }),
  };
}

/** Undefined for an object that wasn't replicated. Hashes that can't be read are 0, which no version is. */
export function readStamps({ annotations = {} }: Pick<GitopsMetadata, "annotations">): Stamps | undefined {
  const sourceUid = annotations[stampAnnotations.sourceUid];
  if (!sourceUid) return undefined;
  return {
    sourceUid,
    hubUid: annotations[stampAnnotations.hubUid] ?? "",
    version: parseHash(annotations[stampAnnotations.version]),
    writtenHash: parseHash(annotations[stampAnnotations.writtenHash]),
    remappedFrom: annotations[stampAnnotations.remappedFrom],
  };
}

/** The annotations of an object that is nobody's copy any more. */
export function withoutStamps(annotations: Readonly<Record<string, string>> = {}): Record<string, string> {
  const stamps: ReadonlySet<string> = new Set(Object.values(stampAnnotations));
  return Object.fromEntries(Object.entries(annotations).filter(([name]) => !stamps.has(name)));
}

function parseHash(text = ""): bigint {
  return /^[0-9a-f]{1,16}$/.test(text) ? BigInt(`0x${text}`) : 0n;
}

const stampAnnotations = {
  sourceUid: "fairlead.dev/source-uid",
  hubUid: "fairlead.dev/hub-uid",
  version: "fairlead.dev/source-version",
  writtenHash: "fairlead.dev/written-hash",
  remappedFrom: "fairlead.dev/namespace-remapped",
} as const;
