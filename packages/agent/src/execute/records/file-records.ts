// Records as files beside an identity that is in a folder. Each version is a file of its own, put there under a name that
// only one writer can get; the highest one counts.
import { randomUUID } from "node:crypto";
import { link, mkdir, open, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { reasonOf } from "@fairlead/kernel";
import { executeErrors } from "../errors.ts";
import { decodeRecord, encodeRecord } from "./encode.ts";
import type { CommandRecord, RecordStore, StoredRecord } from "./types.ts";

export function createFileRecords(options: { readonly folder: string }): RecordStore {
  const { folder } = options;
  return {
    place: folder,
    list: () =>
      guard(async () => {
        const ids = new Set((await versions()).map(({ id }) => id));
        const found = await Promise.all([...ids].map((id) => read(id).catch(ignoreInvalid)));
        return found.filter((stored) => stored !== undefined);
      }),
    find: (id) => guard(() => read(id)),
    write: (record, over) => guard(() => write(record, over)),
    remove: (id) =>
      guard(async () => {
        for (const { name } of await versions(id)) await rm(join(folder, name), { force: true });
      }),
  };

  async function read(id: string): Promise<StoredRecord | undefined> {
    for (;;) {
      const newest = (await versions(id)).at(-1);
      if (newest === undefined) return undefined;
      const path = join(folder, newest.name);
      const bytes = await readFile(path).catch(ignoreMissing);
      // A newer one came meanwhile, and this one went.
      if (bytes !== undefined) return { record: await decodeRecord(bytes, path), version: String(newest.version) };
    }
  }

  async function write(record: CommandRecord, over: string | undefined): Promise<string | undefined> {
    const bytes = await encodeRecord(record);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const version = Number(over ?? 0) + 1;
    const path = join(folder, `${record.id}.${version}${suffix}`);
    const temporary = join(folder, `${randomUUID()}.tmp`);
    try {
      {
        await using file = await open(temporary, "wx", 0o600);
        await file.writeFile(bytes);
        await file.sync();
      }
      await link(temporary, path);
    } catch (error) {
      if (hasCode(error, "EEXIST")) return undefined;
      throw error;
    } finally {
      await rm(temporary, { force: true });
    }
    const all = await versions(record.id);
    const isRemoved = over !== undefined && !all.some((one) => one.version === version - 1);
    if (isRemoved || (all.at(-1)?.version ?? 0) > version) {
      // This name was free, and yet another writer is further, or the record is gone.
      await rm(path, { force: true });
      return undefined;
    }
    for (const older of all) if (older.version < version) await rm(join(folder, older.name), { force: true });
    await syncFolder();
    return String(version);
  }

  /** Ascending. */
  async function versions(id?: string): Promise<{ id: string; version: number; name: string }[]> {
    const names = (await readdir(folder).catch(ignoreMissing)) ?? [];
    return names
      .map((name) => ({ name, match: /^([a-z0-9_]+)\.([0-9]+)\.json\.gz$/.exec(name) }))
      .map(({ name, match }) => ({ name, id: match?.[1] ?? "", version: Number(match?.[2] ?? 0) }))
      .filter((file) => file.id !== "" && (id === undefined || file.id === id))
      .sort((a, b) => a.version - b.version);
  }

  async function syncFolder(): Promise<void> {
    await using handle = await open(folder, "r");
    await handle.sync();
  }

  async function guard<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (executeErrors.is(error)) throw error;
      throw executeErrors.COMMAND_RECORD_FAILED({ place: folder, reason: reasonOf(error), cause: error });
    }
  }
}

function ignoreMissing(error: unknown): undefined {
  if (!hasCode(error, "ENOENT")) throw error;
  return undefined;
}

function ignoreInvalid(error: unknown): undefined {
  if (!executeErrors.is(error, "COMMAND_RECORD_INVALID")) throw error;
  return undefined;
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

const suffix = ".json.gz";
