// Reads all keys of a cluster's etcd, and puts them back later. The API server's watch caches follow.
import { askEtcd, splitIntoTransactions, toBase64 } from "./etcd-api.ts";

/** A key and a value are base64, as etcd's gateway has them. */
export type EtcdState = Map<string, { readonly value: string; modRevision: string }>;

export interface EtcdDifference {
  /** In ranges, each of what lies between two keys that were there before. */
  readonly added: readonly KeyRange[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

export async function readEtcd(etcdUrl: string): Promise<EtcdState> {
  const { kvs = [] } = await call<Range>(etcdUrl, "kv/range", everything);
  return new Map(kvs.map(({ key, value = "", mod_revision: modRevision }) => [key, { value, modRevision }]));
}

export async function compareEtcd(etcdUrl: string, before: EtcdState): Promise<EtcdDifference> {
  const { kvs = [] } = await call<Range>(etcdUrl, "kv/range", { ...everything, keys_only: true });
  const now = new Map(kvs.map(({ key, mod_revision: modRevision }) => [key, modRevision]));
  const isChanged = ([key, { modRevision }]: readonly [string, { modRevision: string }]) =>
    now.has(key) && now.get(key) !== modRevision && !isRenewed(key);
  return {
    added: findRanges([...now.keys()], before),
    changed: [...before].filter(isChanged).map(([key]) => key),
    removed: [...before.keys()].filter((key) => !now.has(key)),
  };
}

export function isDifferent({ added, changed, removed }: EtcdDifference): boolean {
  return added.length + changed.length + removed.length > 0;
}

/** Keeps in `before` the revisions that values have from now on. */
export async function putBackEtcd(etcdUrl: string, before: EtcdState, difference: EtcdDifference): Promise<void> {
  for (const ranges of splitIntoTransactions(difference.added)) {
    await call(etcdUrl, "kv/txn", { success: ranges.map((requestDeleteRange) => ({ requestDeleteRange })) });
  }
  for (const keys of splitIntoTransactions([...difference.changed, ...difference.removed])) {
    const success = keys.map((key) => ({ requestPut: { key, value: before.get(key)?.value ?? "" } }));
    const { header } = await call<Answer>(etcdUrl, "kv/txn", { success });
    for (const key of keys) {
      const kept = before.get(key);
      if (kept !== undefined) kept.modRevision = header.revision;
    }
  }
}

export async function readRevision(etcdUrl: string): Promise<string> {
  return (await call<Answer>(etcdUrl, "kv/range", { key: toBase64("/"), count_only: true })).header.revision;
}

function readKey(key: string): string {
  return Buffer.from(key, "base64").toString("utf8");
}

/** Requires sorted keys. */
function findRanges(keys: readonly string[], before: EtcdState): KeyRange[] {
  const ranges: { key: string; range_end: string }[] = [];
  let length = 0;
  for (const key of keys) {
    length = before.has(key) ? 0 : (length % mostOfRange) + 1;
    const end = toBase64(`${readKey(key)}\0`);
    if (length === 1) ranges.push({ key, range_end: end });
    else if (length > 1) (ranges.at(-1) as { range_end: string }).range_end = end;
  }
  return ranges;
}

/** Leases, whose holders renew them all the time. */
function isRenewed(key: string): boolean {
  return /^\/registry\/(?:leases|peerserverleases)\//.test(readKey(key));
}

interface KeyRange {
  readonly key: string;
  readonly range_end: string;
}

interface Answer {
  readonly header: { readonly revision: string };
}

interface Range extends Answer {
  readonly kvs?: readonly { readonly key: string; readonly value?: string; readonly mod_revision: string }[];
}

async function call<T>(etcdUrl: string, path: string, body: object): Promise<T> {
  return JSON.parse(await askEtcd(etcdUrl, path, body)) as T;
}

/** The range in which API servers keep objects. */
const everything = { key: toBase64("/registry/"), range_end: toBase64("/registry0") };
/** One revision, and so one message to each watch. */
const mostOfRange = 1000;
