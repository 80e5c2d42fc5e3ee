// Recorded sessions: what was on the screen is a file for each in the hub's data folder, or, of hubs that share a database,
// pieces there. About each is a row.
import { createReadStream } from "node:fs";
import { chmod, mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { RecordingList, RecordingListQuery } from "@fairlead/contract";
import { type Clock, createId, repeat, sleep, systemClock } from "@fairlead/kernel";
import type { Kysely } from "kysely";
import type { Tables } from "../../platform/store/index.ts";
import type { Logger } from "../../platform/telemetry/index.ts";
import { recordingsErrors } from "./errors.ts";
import { RecordingFile } from "./file.ts";
import { createPieceWriter } from "./pieces.ts";
import { readPieces } from "./read-pieces.ts";
import { createRecordingStore } from "./store.ts";
import { createTap } from "./tap.ts";
import type { RecordingTarget, SessionEnd, SessionStart, SessionTap } from "./types.ts";

export interface Recordings extends AsyncDisposable {
  /** Throws when the session can't be recorded, and then it mustn't begin. */
  start(start: SessionStart): SessionTap;
  list(query: RecordingListQuery): Promise<RecordingList>;
  /** Throws RECORDING_NOT_FOUND. A session that still runs has what is there so far. */
  read(requestId: string): Promise<Readable>;
  readonly running: number;
}

export interface RecordingOptions {
  readonly db: Kysely<Tables>;
  /** For what people ask; the same unless told. */
  readonly queries?: Kysely<Tables> | undefined;
  readonly log: Logger;
  readonly clock?: Clock | undefined;
  /** Several hubs share the database: recordings lie there. */
  readonly isShared?: boolean | undefined;
  /** Made when it isn't there; without one nothing can be recorded, unless the database is shared. */
  readonly folder: string | undefined;
  readonly maxBytes: number;
  readonly retentionMs: number;
  readonly withInput: boolean;
}

export async function openRecordings(options: RecordingOptions): Promise<Recordings> {
  const { db, queries = db, log, clock = systemClock, folder, maxBytes, retentionMs, withInput } = options;
  const { isShared = false } = options;
  const store = createRecordingStore(db);
  const asked = createRecordingStore(queries);
  const endings = new Set<Promise<void>>();
  const alive = new Set<number>();
  let running = 0;
  if (folder !== undefined) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chmod(folder, 0o700);
  }
  await store.abandon(abandoned, isShared ? silentMs : undefined);
  const beating = isShared
    ? repeat({
        clock,
        intervalMs: beatMs,
        run: beat,
        onError: (error) => log.warn({ err: error }, "other hubs can't be told which sessions are recorded"),
      })
    : undefined;
  const sweeping = repeat({
    clock,
    firstMs: firstDelayMs,
    intervalMs: hourMs,
    run: sweep,
    onError: (error) => log.warn({ err: error }, "old recordings can't be deleted"),
  });

  return {
    start,
    list: (query) => asked.list(query),
    read,
    get running() {
      return running;
    },
    async [Symbol.asyncDispose]() {
      await sweeping[Symbol.asyncDispose]();
      await Promise.all(endings);
      await beating?.[Symbol.asyncDispose]();
    },
  };

  function start(info: SessionStart): SessionTap {
    const { subresource, namespace, name } = info.attributes;
    if (subresource !== "exec" && subresource !== "attach")
      throw recordingsErrors.RECORDING_UNREADABLE({ reason: `it is a ${subresource}` });
    if (folder === undefined && !isShared) throw recordingsErrors.RECORDING_HOMELESS();
    const fileName = `${new Date(info.at).toISOString().replace(/[:.]/g, "-")}-${createId("rec")}.cast`;
    const row = Promise.withResolvers<number>();
    row.promise.catch(() => undefined);
    const file = openTarget(fileName, row.promise);
    let tap: SessionTap;
    try {
      tap = createTap({ start: info, file, withInput, maxBytes, onEnd: (end) => track(finish(end)) });
    } catch (thrown) {
      row.reject(thrown);
      track(file.close().then(() => remove(fileName)));
      throw thrown;
    }
    running += 1;
    const startedMs = performance.now();
    const container = new URLSearchParams(info.query).get("container") ?? undefined;
    const indexed = store
      .insert({
        requestId: info.requestId,
        at: new Date(info.at),
        user: info.principal.name,
        cluster: info.cluster,
        namespace,
        pod: name,
        container,
        kind: subresource,
        file: fileName,
        inPieces: isShared,
      })
      .then((recording) => {
        row.resolve(recording);
        alive.add(recording);
        return recording;
      })
      .catch((cause: unknown) => {
        const error = recordingsErrors.RECORDING_UNWRITABLE({ cause });
        file.fail(error);
        row.reject(error);
        return undefined;
      });
    return tap;

    async function finish(end: SessionEnd): Promise<void> {
      running -= 1;
      const durationMs = performance.now() - startedMs;
      await file.close();
      const recording = await indexed;
      const error = end.state === "cut" ? end.error : file.error;
      const reason = error instanceof Error ? error.message : undefined;
      if (error) log.warn({ err: error, requestId: info.requestId }, "a recorded session was ended");
      await store
        .finish(fileName, { state: error ? "cut" : "complete", reason, sizeBytes: file.sizeBytes, durationMs })
        .catch((cause: unknown) => log.error({ err: cause, requestId: info.requestId }, "a recording's end is lost"));
      if (recording !== undefined) alive.delete(recording);
    }
  }

  async function read(requestId: string): Promise<Readable> {
    // A NUL is in no id, and no database takes it.
    const found = requestId.includes("\0") ? undefined : await asked.find(requestId);
    if (found?.inPieces) return Readable.from(readPieces(asked, found.recording), { objectMode: false });
    if (!found || (folder === undefined && !isShared)) throw recordingsErrors.RECORDING_NOT_FOUND();
    const lost = isShared
      ? recordingsErrors.RECORDING_ELSEWHERE({ file: found.file })
      : recordingsErrors.RECORDING_NOT_FOUND();
    if (folder === undefined || !isOwnName(found.file)) throw lost;
    const stream = createReadStream(join(folder, found.file));
    return await new Promise((resolve, reject) => {
      stream.once("open", () => resolve(stream));
      stream.once("error", () => reject(lost));
    });
  }

  function openTarget(fileName: string, recording: Promise<number>): RecordingTarget {
    if (folder !== undefined && !isShared) return new RecordingFile(join(folder, fileName));
    return createPieceWriter({ recording, write: store.addPiece, clock });
  }

  /** A hub that is silent for long is gone. The next hub that notices records it. */
  async function beat(): Promise<void> {
    if (alive.size > 0) await store.touch([...alive]);
    await store.abandon(abandoned, silentMs);
  }

  async function sweep(signal: AbortSignal): Promise<void> {
    const beforeMs = clock.now() - retentionMs;
    if (isShared) await removeOld(beforeMs);
    for (;;) {
      const gone = await store.prune(new Date(beforeMs), prunedAtOnce);
      await Promise.all(gone.filter(({ inPieces }) => !inPieces).map(({ file }) => remove(file)));
      if (gone.length < prunedAtOnce) return;
      await sleep(moreDelayMs, { clock, signal });
    }
  }

  /** Another hub may have deleted the rows about files in this one's folder. */
  async function removeOld(beforeMs: number): Promise<void> {
    if (folder === undefined) return;
    for (const name of await readdir(folder)) {
      const { mtimeMs } = await stat(join(folder, name));
      if (mtimeMs < beforeMs) await remove(name);
    }
  }

  async function remove(fileName: string): Promise<void> {
    if (folder !== undefined && isOwnName(fileName)) await rm(join(folder, fileName), { force: true });
  }

  function track(ending: Promise<void>): void {
    const tracked = ending.finally(() => endings.delete(tracked));
    endings.add(tracked);
  }
}

/**
 * Whoever may write to the database, or has made the backup that it came from, doesn't choose files of the hub's machine
 * to be read or deleted.
 */
function isOwnName(fileName: string): boolean {
  return /^[\w-]+\.cast$/.test(fileName);
}

const abandoned = "the hub ended before the session did";
const beatMs = 15_000;
/** Some missed beats: a hub that was stopped for longer finds that its recording is over. */
const silentMs = 60_000;
const firstDelayMs = 90_000;
const moreDelayMs = 1_000;
const hourMs = 3_600_000;
const prunedAtOnce = 200;
