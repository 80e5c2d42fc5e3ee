// Records of small commands, several in one Secret: a page has those of commands that were asked for within the same
// half of a second, so that everybody knows where to look for one. Changes that come while a page is being written go
// together with the next write. A record that is too large for a page, or comes when it is full, has a Secret of its
// own.
import { createRounds, orAbort } from "@fairlead/kernel";
import type { KubeClient } from "@fairlead/kube";
import { executeErrors } from "../../errors.ts";
import type { CommandRecord, RecordStore, StoredRecord } from "../types.ts";
import { decodeEntry, type Entry, encodeEntry, encodeMoved, newVersion } from "./entry.ts";
import { type Change, changePage, mostEntries, type Verdict } from "./page.ts";
import { createPageSecrets, type NamedPage, type StoredPage } from "./page-secrets.ts";

export function createPagedRecords(options: {
  readonly client: KubeClient;
  /** Has the records that aren't in pages. */
  readonly alone: RecordStore;
}): RecordStore {
  const { client, alone } = options;
  const secrets = createPageSecrets(client);
  const writers = new Map<string, PageWriter>();
  return {
    place: alone.place,
    namespace: alone.namespace,

    async list(signal) {
      const found: StoredRecord[] = [];
      const paged = new Set<string>();
      for await (const { name, page } of secrets.list(signal)) {
        for (const [id, bytes] of Object.entries(page.entries)) {
          // An entry that somebody has broken doesn't keep the others from being reported.
          const entry = await decodeEntry(bytes, placeOf(name, id)).catch(ignoreInvalid);
          if (entry?.is === "here") found.push({ record: entry.record, version: inPage(name, entry.version) });
          if (entry?.is === "here") paged.add(id);
        }
      }
      // A record that was about to leave its page may lie in both places; then the page's counts.
      const others = (await alone.list(signal)).filter(({ record }) => !paged.has(record.id));
      return [...found, ...others];
    },

    async find(id, signal, askedAtMs) {
      if (askedAtMs !== undefined) {
        const name = nameOf(askedAtMs);
        const stored = await secrets.read(name, signal);
        const found = (stored && (await readHere(id, { name, ...stored }))) ?? (await alone.find(id, signal));
        if (found) return found;
      }
      for await (const stored of secrets.list(signal)) {
        const found = await readHere(id, stored);
        if (found) return found;
      }
      return await alone.find(id, signal);
    },

    async write(record, over, signal) {
      const at = over === undefined ? undefined : readVersion(over);
      if (at) return await replace(record, at, signal);
      if (over !== undefined || record.askedAtMs === undefined) return await alone.write(record, over, signal);
      return await add(record, nameOf(record.askedAtMs), signal);
    },

    async remove(id, signal, version) {
      const at = version === undefined ? undefined : readVersion(version);
      if (at) return void (await change(at.name, { is: "remove", id }, signal));
      for await (const { name, page } of secrets.list(signal))
        if (page.entries[id] !== undefined) await change(name, { is: "remove", id }, signal);
      await alone.remove(id, signal);
    },
  };

  async function add(record: CommandRecord, name: string, signal: AbortSignal): Promise<string | undefined> {
    const version = newVersion();
    const entry = await encodeEntry(record, version);
    // The command may have a record of its own already, from when the page was full.
    if (entry === undefined || (await alone.find(record.id, signal)) !== undefined)
      return await alone.write(record, undefined, signal);
    switch (await change(name, { is: "add", id: record.id, entry }, signal)) {
      case "done":
        return inPage(name, version);
      case "other":
        return undefined;
      case "closed":
        return await alone.write(record, undefined, signal);
    }
  }

  async function replace(record: CommandRecord, at: Place, signal: AbortSignal): Promise<string | undefined> {
    const { name, version: over } = at;
    const version = newVersion();
    const entry = await encodeEntry(record, version);
    if (entry === undefined) return await moveOut(record, at, signal);
    const verdict = await change(name, { is: "replace", id: record.id, over, entry }, signal);
    return verdict === "done" ? inPage(name, version) : undefined;
  }

  /** Writes the record beside its page. It counts there as soon as the page says so. */
  async function moveOut(record: CommandRecord, at: Place, signal: AbortSignal): Promise<string | undefined> {
    const { id } = record;
    const left = await alone.find(id, signal);
    const written = await alone.write(record, left?.version, signal);
    if (written === undefined) return undefined;
    const entry = encodeMoved(newVersion());
    const verdict = await change(at.name, { is: "replace", id, over: at.version, entry }, signal);
    return verdict === "done" ? written : undefined;
  }

  async function change(name: string, what: Change, signal: AbortSignal): Promise<Verdict> {
    const writer = writers.get(name) ?? { count: 0, change: createPageWriter(secrets, name) };
    writers.set(name, writer);
    writer.count += 1;
    const changing = writer.change(what).finally(() => {
      writer.count -= 1;
      forgetOldest();
    });
    return await orAbort(changing, signal);
  }

  function forgetOldest(): void {
    for (const [name, { count }] of writers) {
      if (writers.size <= mostKnown) return;
      if (count === 0) writers.delete(name);
    }
  }

  async function readHere(id: string, { name, page }: NamedPage): Promise<StoredRecord | undefined> {
    const bytes = page.entries[id];
    const entry = bytes && (await decodeEntry(bytes, placeOf(name, id)));
    return entry?.is === "here" ? { record: entry.record, version: inPage(name, entry.version) } : undefined;
  }

  function placeOf(name: string, id: string): string {
    return `${id} in Secret ${alone.namespace}/${name}`;
  }
}

interface PageWriter {
  /** Changes under way. */
  count: number;
  readonly change: (change: Change) => Promise<Verdict>;
}

/** Knows the page as it wrote it last. */
function createPageWriter(secrets: ReturnType<typeof createPageSecrets>, name: string): PageWriter["change"] {
  let known: StoredPage | undefined;
  let isUntouched = true;
  return createRounds<Change, Verdict>({ most: mostEntries, run: changeAll });

  async function changeAll(changes: readonly Change[]): Promise<readonly Verdict[]> {
    // Hardly ever does a page exist before its first record: it needn't be looked for before it is made.
    let mayBeNew = isUntouched && changes.every(({ is }) => is === "add");
    isUntouched = false;
    for (let attempt = 1; attempt <= mostAttempts; attempt++) {
      // After a failure or a lost race, what is stored may be anything.
      const isFresh = known === undefined && !mayBeNew;
      const before = isFresh ? await secrets.read(name) : known;
      known = undefined;
      mayBeNew = false;
      const { page, verdicts, isDifferent } = changePage(before?.page ?? nothing, changes);
      const areAllDone = verdicts.every((verdict) => verdict === "done");
      // Somebody else may have changed it since: nothing is refused by what may be old.
      if (!areAllDone && !isFresh) continue;
      if (!isDifferent) return verdicts;
      const written = await secrets.write(name, page, before);
      if (written === undefined) continue;
      if (Object.keys(page.entries).length > 0) known = written;
      return verdicts;
    }
    throw executeErrors.COMMAND_RECORD_FAILED({ place: name, reason: "other processes keep writing to it" });
  }
}

interface Place {
  /** The page's name. */
  readonly name: string;
  readonly version: string;
}

function inPage(name: string, version: Entry["version"]): string {
  return `${name}/${version}`;
}

/** Undefined for a version of what isn't in a page. */
function readVersion(text: string): Place | undefined {
  const [name = "", version] = text.split("/");
  return version === undefined ? undefined : { name, version };
}

function nameOf(askedAtMs: number): string {
  return `fairlead-cmds-${Math.floor(askedAtMs / pageMs).toString(36)}`;
}

function ignoreInvalid(error: unknown): undefined {
  if (!executeErrors.is(error, "COMMAND_RECORD_INVALID")) throw error;
  return undefined;
}

const nothing = { entries: {}, isClosed: false };
const pageMs = 500;
const mostKnown = 64;
const mostAttempts = 8;
