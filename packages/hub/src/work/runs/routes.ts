import { commandOperations, logNextHeader } from "@fairlead/contract";
import type { FairleadError } from "@fairlead/kernel";
import type { FastifyPluginAsync } from "fastify";
import type { Access, Principal } from "../../people/access/index.ts";
import { answered, createServe, parseOr, writeToReader } from "../../platform/server/index.ts";
import type { LogReaders } from "./log-readers.ts";
import type { LogReader } from "./read-log.ts";
import { createLineStamper } from "./stamp-lines.ts";

export function createLogRoutes(options: {
  readonly reader: LogReader;
  readonly readers: LogReaders;
  readonly access: Pick<Access, "isSignedIn" | "onChanged">;
  /**
   * Throws unless there is such a command and the principal may read it. Gives a function that says from memory whether
   * the principal still may: rights are taken away while a log is followed.
   */
  readonly requireReadable: (principal: Principal, id: string) => Promise<() => boolean>;
  readonly queryInvalid: (problems: string) => FairleadError;
  /** Within which a reader must take something. */
  readonly stallMs?: number;
}): FastifyPluginAsync {
  const { reader, readers, access, requireReadable, queryInvalid, stallMs = 60_000 } = options;

  return async (server) => {
    createServe(server, parseOr(queryInvalid))(
      commandOperations.readCommandLog,
      async ({ request, reply, principal, params, query }) => {
        const { offset = 0, follow: isFollowed = false, timestamps = false } = query;
        const mayStill = await requireReadable(principal, params.id);
        const size = await reader.size(params.id);
        const leave = readers.enter(principal.uid);
        reply.hijack();
        const res = reply.raw;
        const gone = new AbortController();
        res.once("close", () => gone.abort());
        res.on("error", () => gone.abort());
        const stopListening = access.onChanged(() => {
          if (!access.isSignedIn(principal) || !mayStill()) gone.abort();
        });
        res.writeHead(200, {
          "content-type": "text/plain; charset=utf-8",
          "x-content-type-options": "nosniff",
          "cache-control": "no-store",
          "x-request-id": request.id,
          ...(isFollowed ? {} : { [logNextHeader]: String(Math.max(offset, size)) }),
        });
        res.flushHeaders();
        try {
          const reading = { command: params.id, offset, isFollowed, signal: gone.signal };
          const stamp = createLineStamper();
          for await (const read of timestamps ? reader.readTimed(reading) : reader.read(reading)) {
            const piece = "bytes" in read ? stamp(read) : read;
            if (gone.signal.aborted) break;
            if (!(await writeToReader(res, piece, stallMs))) gone.abort();
          }
          // A reader who lost his right is cut, so that it doesn't look like the log's end.
          if (gone.signal.aborted) res.destroy();
          else res.end();
        } catch {
          res.destroy();
        } finally {
          stopListening();
          leave();
        }
        return answered;
      },
      { isLong: true },
    );
  };
}
