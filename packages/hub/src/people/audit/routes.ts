import type { ServerResponse } from "node:http";
import { auditOperations as operations } from "@fairlead/contract";
import { type FairleadError, toFairleadError, toProblem } from "@fairlead/kernel";
import type { FastifyPluginAsync } from "fastify";
import { answered, createReaders, createServe, type ServedCall, writeToReader } from "../../platform/server/index.ts";
import type { Access } from "../access/index.ts";
import { auditErrors } from "./errors.ts";
import { parseQuery } from "./query.ts";
import type { Audit } from "./service.ts";

export function createAuditRoutes(options: {
  readonly audit: Audit;
  readonly access: Pick<Access, "require" | "may" | "isSignedIn" | "onChanged">;
  /** Within which a follower must take something. */
  readonly stallMs?: number;
}): FastifyPluginAsync {
  const { audit, access, stallMs = 60_000 } = options;
  const readers = createReaders({ most: maxReaders, mostOfOne: maxReadersOfUser });

  return async (server) => {
    server.addHook("onRequest", async ({ principal }) => access.require(principal, reading));

    const serve = createServe(server, parseQuery);
    serve(operations.listAudit, ({ query }) => audit.feed.list(query));

    serve(operations.verifyAudit, async ({ request }) => {
      const gone = new AbortController();
      request.raw.once("close", () => gone.abort());
      return await audit.verify(gone.signal);
    });

    serve(operations.streamAudit, follow, { isLong: true });
  };

  async function follow({ request, reply, principal, query }: Following): Promise<typeof answered> {
    const leave = readers.enter(principal.uid);
    if (!leave) throw auditErrors.AUDIT_READERS_TOO_MANY();
    reply.hijack();
    const res = reply.raw;
    const gone = new AbortController();
    res.once("close", () => gone.abort());
    res.on("error", () => gone.abort());
    res.writeHead(200, {
      "content-type": "application/jsonl",
      "cache-control": "no-store",
      "x-request-id": request.id,
    });
    res.flushHeaders();
    const isAllowed = (): boolean => access.isSignedIn(principal) && access.may(principal, reading);
    const stopListening = access.onChanged(() => {
      if (!isAllowed()) gone.abort();
    });
    try {
      for await (const lines of audit.feed.follow(query, gone.signal)) {
        if (!isAllowed()) break;
        const text = lines.length === 0 ? "\n" : `${lines.join("\n")}\n`;
        if (!(await writeToReader(res, text, stallMs))) throw auditErrors.AUDIT_READER_SLOW();
      }
      res.end();
    } catch (thrown) {
      if (!res.destroyed) complain(res, toFairleadError(thrown), request.id);
    } finally {
      stopListening();
      leave();
    }
    return answered;
  }
}

type Following = ServedCall<typeof operations.streamAudit>;

/** As the last line, since the answer has begun; then the connection goes. */
function complain(res: ServerResponse, error: FairleadError, requestId: string): void {
  res.end(`${JSON.stringify(toProblem(error, { requestId }))}\n`);
  setTimeout(() => res.destroy(), lingerMs).unref();
}

const reading = { verb: "get", resource: "audit" } as const;
const maxReaders = 64;
const maxReadersOfUser = 8;
const lingerMs = 1_000;
