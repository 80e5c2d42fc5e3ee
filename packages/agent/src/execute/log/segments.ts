// The files of a spool: each holds a stretch of a log and is named by the offset of its first byte, so that what the hub
// has can be removed while the log grows.
import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

export interface Segment {
  readonly path: string;
  readonly base: number;
  sizeBytes: number;
}

export const endOf = ({ base, sizeBytes }: Segment): number => base + sizeBytes;

export function segmentPath(folder: string, id: string, base: number): string {
  return join(folder, `${id}.${base}.log`);
}

/**
 * Finds what a run that died in this very pod left: the segments from the first byte on that the hub lacks, without
 * gaps. Other files of the same command are removed.
 */
export function findSegments({ folder, id, from }: { folder: string; id: string; from: number }): Segment[] {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = listFiles(folder)
    .filter((file) => file.id === id)
    .map(({ name, base }) => ({ path: join(folder, name), base, sizeBytes: statSync(join(folder, name)).size }))
    .sort((one, other) => one.base - other.base);
  const first = found.findLast((segment) => segment.base <= from && from <= endOf(segment));
  const kept: Segment[] = first ? [first] : [];
  for (const segment of found) {
    const last = kept.at(-1);
    if (last !== undefined && segment.base > last.base && segment.base === endOf(last)) kept.push(segment);
  }
  for (const segment of found) if (!kept.includes(segment)) rmSync(segment.path, { force: true });
  return kept;
}

export function hasSpool(folder: string, id: string): boolean {
  return listFiles(folder).some((file) => file.id === id);
}

/** Removes what is left of logs that nobody goes on with. */
export function removeSpools(folder: string, isKept: (id: string) => boolean): void {
  for (const { name, id } of listFiles(folder)) if (!isKept(id)) rmSync(join(folder, name), { force: true });
}

function listFiles(folder: string): { readonly name: string; readonly id: string; readonly base: number }[] {
  return readdirSync(folder).flatMap((name) => {
    const match = /^([a-z0-9_]+)\.([0-9]+)\.log$/.exec(name);
    return match === null ? [] : [{ name, id: match[1] ?? "", base: Number(match[2]) }];
  });
}
