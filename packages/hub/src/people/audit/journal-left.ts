// Takes over the journal of a hub that was killed, or whose machine lost power.
import { open, readFile, rename, writeFile } from "node:fs/promises";
import type { Logger } from "../../platform/telemetry/index.ts";
import { followChain } from "./chain.ts";
import { type ChainStore, packBlock } from "./chain-store.ts";
import { auditErrors } from "./errors.ts";
import type { AuditStore } from "./store.ts";
import { type Block, firstChain, type Head } from "./types.ts";

/**
 * Gives the store what it lacks, and answers with the newest record of this hub's chain. In the same folder may be the end of
 * another one, which the hub wrote when it had its database alone.
 */
export async function takeLeft(options: {
  /** Oldest first. */
  readonly paths: readonly string[];
  readonly store: AuditStore;
  readonly chain: string;
  readonly head: Head;
  readonly log: Logger;
}): Promise<Head> {
  const { paths, store, chain, log } = options;
  let { head } = options;
  for (const path of paths) {
    const found = await readWhole(path, log);
    let isOdd = false;
    for (const [name, lines] of Map.groupBy(found, chainOf)) {
      const from = name === chain ? head : (await store.chain(name).readEnds())?.head;
      if (!from) {
        isOdd = true;
        continue;
      }
      const taken = await takeLines({ lines, store: store.chain(name), from, log });
      if (name === chain) head = taken.head;
      isOdd ||= taken.isOdd;
    }
    if (isOdd) {
      log.error(
        { path: await putAside(path) },
        "a journal of audit records doesn't go with the store; it is kept aside",
      );
    }
  }
  return head;
}

async function takeLines(options: {
  readonly lines: readonly string[];
  readonly store: ChainStore;
  readonly from: Head;
  readonly log: Logger;
}): Promise<{ readonly head: Head; readonly isOdd: boolean }> {
  const { store, from, log } = options;
  const { lines, isOdd } = selectLeft(options.lines, from);
  if (lines.length === 0) return { head: from, isOdd };
  const block = toBlock(lines, from);
  if (!(await store.append(await packBlock(block), from))) throw auditErrors.AUDIT_CHAIN_TAKEN();
  log.info({ records: lines.length }, "took audit records that a killed hub left");
  return { head: { seq: block.lastSeq, hash: block.lastHash }, isOdd };
}

/**
 * The records of a chain from one to another as a running hub's journal has them; undefined when it hasn't all of them.
 * Later records belong to the writer, and may be half written.
 */
export async function readMissing(options: {
  /** Oldest first. */
  readonly paths: readonly string[];
  readonly chain: string;
  readonly from: Head;
  readonly to: Head;
}): Promise<Block | undefined> {
  const { paths, chain, from, to } = options;
  const lines: string[] = [];
  for (const path of paths) lines.push(...splitWhole(await readOrNothing(path)).lines);
  const { lines: left } = selectLeft(
    lines.filter((line) => chainOf(line) === chain),
    from,
  );
  const block = left.length < to.seq - from.seq ? undefined : toBlock(left.slice(0, to.seq - from.seq), from);
  return block?.lastHash === to.hash ? block : undefined;
}

/** The whole lines, after the file was cut behind the last of them. */
async function readWhole(path: string, log: Logger): Promise<readonly string[]> {
  const bytes = await readOrNothing(path);
  const { lines, endsAt } = splitWhole(bytes);
  const rest = bytes.subarray(endsAt);
  if (rest.byteLength > 0) await cutTail({ path, endsAt, rest, log });
  return lines;
}

function splitWhole(bytes: Buffer): { readonly lines: readonly string[]; readonly endsAt: number } {
  const lines: string[] = [];
  let endsAt = 0;
  for (;;) {
    const at = bytes.indexOf(newline, endsAt);
    const line = at < 0 ? "" : bytes.toString("utf8", endsAt, at);
    if (!isWhole(line)) break;
    lines.push(line);
    endsAt = at + 1;
  }
  return { lines, endsAt };
}

/** A power cut leaves half a line, or zeros where the file had grown and its bytes weren't written yet. */
async function cutTail(options: {
  readonly path: string;
  readonly endsAt: number;
  readonly rest: Uint8Array;
  readonly log: Logger;
}): Promise<void> {
  const { path, endsAt, rest, log } = options;
  const aside = `${path}.torn-${Date.now()}`;
  await writeFile(aside, rest, { mode: 0o600 });
  const file = await open(path, "r+");
  try {
    await file.truncate(endsAt);
    await file.sync();
  } finally {
    await file.close();
  }
  log.error(
    { path, aside, bytes: rest.byteLength },
    "ALARM: the journal of audit records is torn, as after a power cut: it was cut behind its last whole record",
  );
}

/** Ends as a record does; whether it is the right one is for the chain to say. */
function isWhole(line: string): boolean {
  return /^\{"seq":\d{1,15},/.test(line) && /,"hash":"[0-9a-f]{64}"\}$/.test(line) && !line.includes("\0");
}

function chainOf(line: string): string {
  return /^\{"seq":\d{1,15},"chain":"(\w+)",/.exec(line)?.[1] ?? firstChain;
}

/** The lines that the store lacks; odd is what doesn't follow on its head. */
function selectLeft(lines: readonly string[], head: Head): { readonly lines: string[]; readonly isOdd: boolean } {
  const left: string[] = [];
  let at = head;
  for (const line of lines) {
    const seq = Number(/^\{"seq":(\d{1,15}),/.exec(line)?.[1] ?? Number.NaN);
    if (seq === head.seq && !line.endsWith(`"hash":"${head.hash}"}`)) return { lines: left, isOdd: true };
    if (seq <= head.seq) continue;
    const next = followChain(at, line);
    if (!next) return { lines: left, isOdd: true };
    left.push(line);
    at = next;
  }
  return { lines: left, isOdd: false };
}

function toBlock(lines: readonly string[], head: Head): Block {
  const records = lines.map((line) => JSON.parse(line) as LeftRecord);
  const times = records.map(({ at }) => Date.parse(at));
  return {
    firstSeq: head.seq + 1,
    lastSeq: head.seq + lines.length,
    firstAt: times.reduce((one, other) => Math.min(one, other)),
    lastAt: times.reduce((one, other) => Math.max(one, other)),
    users: [...new Set(records.map(({ who }) => who.name))],
    clusters: [...new Set(records.flatMap(({ cluster }) => cluster ?? []))],
    lastHash: records.at(-1)?.hash ?? "",
    actSeq: head.seq + 1 + records.findLastIndex(({ heads }) => heads === undefined),
    lines,
  };
}

interface LeftRecord {
  readonly at: string;
  readonly who: { readonly name: string };
  readonly cluster?: string;
  readonly hash: string;
  readonly heads?: unknown;
}

export async function putAside(path: string): Promise<string> {
  const aside = `${path}.${Date.now()}`;
  await rename(path, aside);
  return aside;
}

async function readOrNothing(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return Buffer.alloc(0);
    throw error;
  }
}

const newline = 0x0a;
