// The database's thread: a PGlite and nothing else. It imports no package of the hub's, so it runs the same from source
// and built, and holds no key, no token and no environment.
import { parentPort } from "node:worker_threads";
import { PGlite } from "@electric-sql/pglite";
import type { Answer } from "./database.ts";
import { bytesAsTheyAre } from "./serializers.ts";
import { listBuffers, reportError, type ThreadReply, type ThreadRequest } from "./thread-protocol.ts";

let database: PGlite | undefined;
let last: Promise<void> = Promise.resolve();

// One after the other, in the order in which they were asked: a close ends nothing that came before it.
parentPort?.on("message", (request: ThreadRequest) => {
  last = last.then(() => reply(request));
});

async function reply(request: ThreadRequest): Promise<void> {
  const { id } = request;
  try {
    const answer = await run(request);
    say({ id, kind: "done", answer }, listBuffers(answer.rows));
  } catch (error) {
    say({ id, kind: "failed", report: reportError(error) });
  }
}

async function run(request: ThreadRequest): Promise<Answer> {
  switch (request.kind) {
    case "open":
      database = await PGlite.create(request.path);
      return nothing;
    case "query": {
      if (!database) throw new Error("no database is open in this thread");
      const { rows, affectedRows = 0 } = await database.query(request.sql, [...request.parameters], bytesAsTheyAre);
      return { rows, affectedRows };
    }
    case "close":
      await database?.close();
      database = undefined;
      return nothing;
  }
}

function say(reply: ThreadReply, moved: ArrayBuffer[] = []): void {
  parentPort?.postMessage(reply, moved);
}

const nothing: Answer = { rows: [], affectedRows: 0 };
