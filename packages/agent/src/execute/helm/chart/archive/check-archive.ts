// Looks into a chart's archive before Helm does, which keeps all of it in memory and loads archives in it, too.
import { createGunzip } from "node:zlib";
import { readTar, type TarEntry, TarProblem } from "./read-tar.ts";

export interface ArchiveLimits {
  /** Unpacked, with what is packed in it. */
  readonly sizeBytes: number;
  readonly entries: number;
}

/** What is left of the limits. Archives of one chart share it. */
export interface ArchiveBudget extends ArchiveLimits {
  usedBytes: number;
  usedEntries: number;
}

/** A sentence's end: what is wrong with the archive. */
export class ArchiveProblem extends Error {}

export function openBudget(limits: ArchiveLimits = chartLimits): ArchiveBudget {
  return { ...limits, usedBytes: 0, usedEntries: 0 };
}

/** Throws ArchiveProblem. Reads no further than to the first problem. */
export async function checkArchive(packed: AsyncIterable<Buffer> | Buffer, budget: ArchiveBudget): Promise<void> {
  try {
    await checkEntries(unpack(packed, budget), budget, 0);
  } catch (error) {
    if (error instanceof TarProblem) throw new ArchiveProblem(error.message, { cause: error });
    throw error;
  }
}

async function checkEntries(unpacked: AsyncIterable<Buffer>, budget: ArchiveBudget, depth: number): Promise<void> {
  for await (const entry of readTar(unpacked)) {
    if (++budget.usedEntries > budget.entries) throw new ArchiveProblem(`it has more than ${budget.entries} entries`);
    judgeEntry(entry);
    if (entry.type !== "file") continue;
    const { isPacked, pieces } = await peek(entry.body());
    if (!isPacked) continue;
    if (depth === deepest) throw new ArchiveProblem(`archives in it lie more than ${deepest} deep`);
    await checkEntries(unpack(pieces, budget), budget, depth + 1).catch((error: unknown) => {
      // Something else than a chart, which Helm leaves packed.
      if (!(error instanceof TarProblem)) throw error;
    });
  }
}

function judgeEntry({ type, name }: TarEntry): void {
  if (type === "file" || type === "folder") {
    const isInside = !/^[\\/]|^[A-Za-z]:|\0/.test(name) && !name.split(/[\\/]/).includes("..");
    if (!isInside) throw new ArchiveProblem("it has a path that leads out of it");
    return;
  }
  const what = type === "link" ? "a link" : type === "device" ? "a device" : "an entry that is neither file nor folder";
  throw new ArchiveProblem(`it has ${what}`);
}

async function* unpack(packed: AsyncIterable<Buffer> | Buffer, budget: ArchiveBudget): AsyncGenerator<Buffer> {
  const gunzip = createGunzip();
  const feeding = feed(packed, gunzip);
  try {
    for await (const piece of gunzip as AsyncIterable<Buffer>) {
      budget.usedBytes += piece.length;
      if (budget.usedBytes > budget.sizeBytes)
        throw new ArchiveProblem(`it unpacks to more than ${budget.sizeBytes / 2 ** 20} MiB`);
      yield piece;
    }
  } catch (error) {
    if (error instanceof ArchiveProblem) throw error;
    throw new TarProblem("it can't be unpacked", { cause: error });
  } finally {
    gunzip.destroy();
    await feeding;
  }
}

/** Never rejects: what is wrong is said by the stream. */
async function feed(packed: AsyncIterable<Buffer> | Buffer, gunzip: ReturnType<typeof createGunzip>): Promise<void> {
  const closed = new Promise<void>((resolve) => void gunzip.once("close", resolve));
  try {
    for await (const piece of Buffer.isBuffer(packed) ? [packed] : packed) {
      if (gunzip.destroyed) return;
      await Promise.race([closed, new Promise<void>((resolve) => void gunzip.write(piece, () => resolve()))]);
    }
    gunzip.end();
  } catch (error) {
    gunzip.destroy(error as Error);
  }
}

/** By what it begins with: its name may say anything. */
async function peek(
  body: AsyncGenerator<Buffer>,
): Promise<{ readonly isPacked: boolean; readonly pieces: AsyncGenerator<Buffer> }> {
  const begin: Buffer[] = [];
  let lengthBytes = 0;
  while (lengthBytes < 2) {
    const { value, done } = await body.next();
    if (done) break;
    begin.push(value);
    lengthBytes += value.length;
  }
  const head = Buffer.concat(begin);
  return { isPacked: head[0] === 0x1f && head[1] === 0x8b, pieces: joined(head, body) };
}

async function* joined(head: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield head;
  yield* rest;
}

const chartLimits: ArchiveLimits = { sizeBytes: 100 * 2 ** 20, entries: 10_000 };
/** Charts that depend on charts. */
const deepest = 8;
