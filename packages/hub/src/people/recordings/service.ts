// Recorded sessions: a file for each in the hub's data folder, and a row about it.
import { createReadStream } from "node:fs";
import { chmod, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import type { RecordingList, RecordingListQuery } from "@fairlead/contract";
import { type Clock, createId, repeat, sleep, systemClock } from "@fairlead/kernel";
import type { Kysely } from "kysely";
import type { Tables } from "../../platform/store/index.ts";
import type { Logger } from "../../platform/telemetry/index.ts";
import { recordingsErrors } from "./errors.ts";
import { RecordingFile } from "./file.ts";
import { createRecordingStore } from "./store.ts";
import { createTap } from "./tap.ts";
import type { SessionEnd, SessionStart, SessionTap } from "./types.ts";

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
  /** Made when it isn't there; without one nothing can be recorded. */
  readonly folder: string | undefined;
  readonly maxBytes: number;
  readonly retentionDays: number;
  readonly withInput: boolean;
}

export async function openRecordings(options: RecordingOptions): Promise<Recordings> {
  const { db, queries = db, log, clock = systemClock, folder, maxBytes, retentionDays, withInput } = options;
  const store = createRecordingStore(db);
  const asked = createRecordingStore(queries);
  const endings = new Set<Promise<void>>();
  let running = 0;
  if (folder !== undefined) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chmod(folder, 0o700);
  }
  await store.abandon("the hub ended before the session did");
  const sweeping = repeat({
    ...{ clock, firstMs: firstDelayMs, intervalMs: hourMs, run: sweep },
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
    },
  };

  function start(info: SessionStart): SessionTap {
    const { subresource, namespace, name } = info.attributes;
    if (subresource !== "exec" && subresource !== "attach")
      throw recordingsErrors.RECORDING_UNREADABLE({ reason: `it is a ${subresource}` });
    if (folder === undefined) throw recordingsErrors.RECORDING_HOMELESS();
    const fileName = `${new Date(info.at).toISOString().replace(/[:.]/g, "-")}-${createId("rec")}.cast`;
    const file = new RecordingFile(join(folder, fileName));
    let tap: SessionTap;
    try {
      tap = createTap({ start: info, file, withInput, maxBytes, onEnd: (end) => track(finish(end)) });
    } catch (thrown) {
      track(file.close().then(() => remove(fileName)));
      throw thrown;
    }
    running += 1;
    const startedMs = performance.now();
    const container = new URLSearchParams(info.query).get("container") ?? undefined;
    const indexed = store
      .insert({
        ...{ requestId: info.requestId, at: new Date(info.at), user: info.principal.name, cluster: info.cluster },
        ...{ namespace, pod: name, container, kind: subresource, file: fileName },
      })
      .catch((cause: unknown) => file.fail(recordingsErrors.RECORDING_UNWRITABLE({ cause })));
    return tap;

    async function finish(end: SessionEnd): Promise<void> {
      running -= 1;
      const durationMs = performance.now() - startedMs;
      await file.close();
      await indexed;
      const error = end.state === "cut" ? end.error : file.error;
      const reason = error instanceof Error ? error.message : undefined;
      if (error) log.warn({ err: error, requestId: info.requestId }, "a recorded session was ended");
      await store
        .finish(fileName, { state: error ? "cut" : "complete", reason, sizeBytes: file.sizeBytes, durationMs })
        .catch((cause: unknown) => log.error({ err: cause, requestId: info.requestId }, "a recording's end is lost"));
    }
  }

  async function read(requestId: string): Promise<Readable> {
    // A NUL is in no id, and no database takes it.
    const found = requestId.includes("\0") ? undefined : await asked.find(requestId);
    if (!found || folder === undefined) throw recordingsErrors.RECORDING_NOT_FOUND();
    const stream = createReadStream(join(folder, found.file));
    return await new Promise((resolve, reject) => {
      stream.once("open", () => resolve(stream));
      stream.once("error", () => reject(recordingsErrors.RECORDING_NOT_FOUND()));
    });
  }

  async function sweep(signal: AbortSignal): Promise<void> {
    for (;;) {
      const files = await store.prune(new Date(clock.now() - retentionDays * dayMs), prunedAtOnce);
      await Promise.all(files.map(remove));
      if (files.length < prunedAtOnce) return;
      await sleep(moreDelayMs, { clock, signal });
    }
  }

  async function remove(fileName: string): Promise<void> {
    if (folder !== undefined) await rm(join(folder, fileName), { force: true });
  }

  function track(ending: Promise<void>): void {
    const tracked = ending.finally(() => endings.delete(tracked));
    endings.add(tracked);
  }
}

const firstDelayMs = 90_000;
const moreDelayMs = 1_000;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const prunedAtOnce = 200;
