// Records as lines of JSON, each carrying SHA-256 over the hash before it and its own text without the hash. With the
// lines and one hash of the past anyone can tell if anything since was changed, left out or put in.
import { hash } from "node:crypto";
import { cleanAgent, cleanName, clip } from "./text.ts";
import type { Block, Entry, Head, Writing } from "./types.ts";

/** The entries as a block that follows on the head; there must be one at least. */
export function chainEntries(entries: readonly Entry[], head: Head, writing: Writing): Block {
  const lines: string[] = [];
  const users = new Set<string>();
  const clusters = new Set<string>();
  let firstAt = Number.POSITIVE_INFINITY;
  let lastAt = 0;
  let { seq, hash: last } = head;
  let actSeq = 0;
  for (const entry of entries) {
    seq += 1;
    const text = formatEntry(entry, seq, writing);
    if (!entry.heads) actSeq = seq;
    last = hashRecord(last, text);
    lines.push(`${text.slice(0, -1)},"hash":"${last}"}`);
    users.add(cleanName(entry.start.principal?.name ?? unknownName));
    if (entry.start.cluster !== "") clusters.add(cleanName(entry.start.cluster));
    firstAt = Math.min(firstAt, entry.at);
    lastAt = Math.max(lastAt, entry.at);
  }
  return {
    firstSeq: head.seq + 1,
    lastSeq: seq,
    firstAt,
    lastAt,
    lastHash: last,
    actSeq,
    lines,
    users: [...users],
    clusters: [...clusters],
  };
}

/** Blocks that follow on one another as one. */
export function joinBlocks(first: Block, second: Block): Block {
  return {
    ...second,
    firstSeq: first.firstSeq,
    firstAt: Math.min(first.firstAt, second.firstAt),
    lastAt: Math.max(first.lastAt, second.lastAt),
    actSeq: Math.max(first.actSeq ?? 0, second.actSeq ?? 0),
    users: [...new Set([...first.users, ...second.users])],
    clusters: [...new Set([...first.clusters, ...second.clusters])],
    lines: first.lines.concat(second.lines),
  };
}

/** The head after this line when it is the one that follows; undefined when it was made for another place. */
export function followChain(head: Head, line: string): Head | undefined {
  const suffix = hashSuffix.exec(line.slice(-suffixLength));
  if (!suffix?.[1]) return undefined;
  const text = `${line.slice(0, -suffixLength)}}`;
  if (hashRecord(head.hash, text) !== suffix[1]) return undefined;
  if (!text.startsWith(`{"seq":${head.seq + 1},`)) return undefined;
  return { seq: head.seq + 1, hash: suffix[1] };
}

function hashRecord(before: string, text: string): string {
  return hash("sha256", before + text);
}

/** The order of the members is part of what is hashed. Members that say nothing are left out. */
function formatEntry(entry: Entry, seq: number, { chain, hub }: Writing): string {
  const { at, phase, start, outcome, correlates, count, heads } = entry;
  const { principal, attributes } = start;
  const who = principal
    ? {
        kind: principal.kind,
        name: cleanName(principal.name),
        uid: some(principal.uid, nameLength),
        sessionId: principal.sessionId,
      }
    : unknown;
  return JSON.stringify({
    seq,
    chain: chain === "" ? undefined : chain,
    hub,
    at: new Date(at).toISOString(),
    phase,
    requestId: clip(start.requestId, 64),
    who,
    actingAs: some(start.actingAs, nameLength),
    from: clip(start.remoteAddress, 64),
    userAgent: start.userAgent === "" ? undefined : cleanAgent(start.userAgent),
    cluster: start.cluster === "" ? undefined : cleanName(start.cluster),
    method: clip(start.method, 32),
    verb: clip(attributes?.verb ?? start.method.toLowerCase(), 32),
    apiGroup: some(attributes?.apiGroup, nameLength),
    resource: some(attributes?.resource, nameLength),
    subresource: some(attributes?.subresource, nameLength),
    namespace: some(attributes?.namespace, nameLength),
    name: some(attributes?.name, nameLength),
    template: some(start.template, nameLength),
    path: clip(start.path, 2048),
    status: outcome?.status,
    code: outcome?.code,
    reason: some(outcome?.reason, 512),
    bytesToCluster: outcome?.bytesToCluster,
    bytesFromCluster: outcome?.bytesFromCluster,
    durationMs: outcome && Math.round(outcome.durationMs * 10) / 10,
    kubectlCommand: start.kubectlCommand && cleanAgent(start.kubectlCommand),
    kubectlSession: some(start.kubectlSession, 64),
    correlates,
    count,
    heads,
  });
}

function some(text: string | undefined, maxLength: number): string | undefined {
  return text === undefined || text === "" ? undefined : clip(text, maxLength);
}

const unknownName = "unknown";
const unknown = { kind: "unknown", name: unknownName };
const nameLength = 256;
const hashSuffix = /^,"hash":"([0-9a-f]{64})"\}$/;
const suffixLength = 75;
