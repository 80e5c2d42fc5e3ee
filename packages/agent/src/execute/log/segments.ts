// The files of a spool: each holds a stretch of a log and is named by the offset of its first byte, so that what the hub
// has can be removed while the log grows.
import { appendFileSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";

export interface Segment {
  readonly path: string;
  readonly base: number;
  /** Why the disk took no more. The log's last line says so, and had no room on it either: it is in the file's name. */
  readonly cut?: string | undefined;
  sizeBytes: number;
}

export const endOf = ({ base, sizeBytes }: Segment): number => base + sizeBytes;

export function segmentPath(folder: string, id: string, base: number): string {
  return join(folder, `${id}.${base}.log`);
}

export const cutMark = (reason: string): string =>
  `\n[fairlead] The log ends here: its disk takes no more (${reason}).\n`;

/** A name takes no room. Gives the segment as it was where even that can't be written. */
export function markCut(segment: Segment, reason: string): Segment {
  const path = segment.path.replace(/\.log$/, `.${reason}.log`);
  try {
    renameSync(segment.path, path);
    return { ...segment, path, cut: reason };
  } catch {
    return segment;
  }
}

/**
 * Finds what a run that died in this very pod left: the segments from the first byte on that the hub lacks, without
 * gaps. Other files of the same command are removed.
 */
export function findSegments({ folder, id, from }: { folder: string; id: string; from: number }): Segment[] {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = listFiles(folder)
    .filter((file) => file.id === id)
    .map(({ name, base, cut }) => writeMark({ path: join(folder, name), base, cut }))
    .map((segment) => ({ ...segment, sizeBytes: statSync(segment.path).size }))
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

/** Where the disk has room again. */
function writeMark<Found extends Omit<Segment, "sizeBytes">>(segment: Found): Found {
  const { path, cut } = segment;
  if (cut === undefined) return segment;
  const { size } = statSync(path);
  try {
    appendFileSync(path, cutMark(cut));
  } catch {
    if (statSync(path).size > size) truncateSync(path, size);
    return segment;
  }
  const whole = path.replace(/\.[A-Z0-9_]+\.log$/, ".log");
  renameSync(path, whole);
  return { ...segment, path: whole, cut: undefined };
}

/** A disk that can't be read says so when the log is opened. */
export function removeSpool(folder: string, id: string): void {
  try {
    removeSpools(folder, (other) => other !== id);
  } catch {
    return;
  }
}

interface SegmentFile extends Pick<Segment, "base" | "cut"> {
  readonly name: string;
  readonly id: string;
}

function listFiles(folder: string): SegmentFile[] {
  return readdirSync(folder).flatMap((name) => {
    const match = /^([a-z0-9_]+)\.([0-9]+)(?:\.([A-Z0-9_]+))?\.log$/.exec(name);
    return match === null ? [] : [{ name, id: match[1] ?? "", base: Number(match[2]), cut: match[3] }];
  });
}
