// Argo CD marks what an application deploys with the application's instance name, which is NAMESPACE_NAME outside of Argo CD's
// own namespace. Where an application has another namespace on the hub than in the cluster, its objects are shown with its
// name on the hub: a comparison with manifests that are made on the hub would find a difference in each of them.
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { CachedPart } from "@fairlead/protocol";
import type { CachedKey } from "./cached-key.ts";
import type { TreeValue } from "./cluster-trees.ts";
import type { TreePlace } from "./place-of-key.ts";

/** The same value where nothing is to be renamed, or where it is larger than the hub holds in memory. */
export async function renameInstance(value: TreeValue, place: TreePlace, key: CachedKey): Promise<TreeValue> {
  const there = instanceOf(place.namespace, key.name);
  const here = instanceOf(key.namespace, key.name);
  const isConcerned = key.part === CachedPart.MANAGED_RESOURCES && there !== here;
  if (!isConcerned || value.sizeBytes > mostBytes) return value;
  const bytes = await collectPieces(value.pieces);
  const renamed = await rename(bytes, { there, here, isCompressed: key.isCompressed }).catch(() => bytes);
  return {
    sizeBytes: renamed.byteLength,
    pieces: piecesOf(renamed),
    [Symbol.dispose]: () => value[Symbol.dispose](),
  };
}

export async function collectPieces(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const collected: Uint8Array[] = [];
  for await (const piece of pieces) collected.push(piece);
  return Buffer.concat(collected);
}

async function rename(
  bytes: Buffer,
  { there, here, isCompressed }: { there: string; here: string; isCompressed: boolean },
): Promise<Buffer> {
  const text = isCompressed ? await unpack(bytes, { maxOutputLength: mostUnpackedBytes }) : bytes;
  // Byte by byte: whatever isn't renamed stays as it is.
  const renamed = Buffer.from(
    text.toString("latin1").replaceAll(tracking, (all, before: string, instance: string) => {
      return instance === there ? `${before}${here}` : all;
    }),
    "latin1",
  );
  return isCompressed ? await pack(renamed) : renamed;
}

async function* piecesOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

function instanceOf(namespace: string, name: string): string {
  return namespace === "" ? name : `${namespace}_${name}`;
}

/** In JSON within JSON, at any depth. */
const tracking = /(argocd\.argoproj\.io\/tracking-id\\*": *\\*")([\w.-]{1,320})(?=:)/g;
const unpack = promisify<Buffer, { maxOutputLength: number }, Buffer>(gunzip);
const pack = promisify<Buffer, Buffer>(gzip);
/** As it comes, and unpacked. Argo CD's values of most applications have some 100 KiB. */
const mostBytes = 1_024 * 1_024;
const mostUnpackedBytes = 4 * 1_024 * 1_024;
const pieceBytes = 64 * 1_024;
