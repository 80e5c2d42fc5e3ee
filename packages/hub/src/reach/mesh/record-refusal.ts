// Records attempts to get in past the mesh: with an address, and without a name, since nobody has proved one. Many of
// the same become one record with a count.
import type { IncomingMessage } from "node:http";
import { createId, type FairleadError } from "@fairlead/kernel";
import type { AuditPort } from "../../people/audit/index.ts";

export interface RefusedAttempt {
  readonly req: Pick<IncomingMessage, "method" | "headers">;
  readonly remoteAddress: string;
  /** A path that agents ask for. */
  readonly path: string;
  readonly error: FairleadError;
}

export function recordRefusal(audit: AuditPort, refusal: RefusedAttempt & { readonly at: number }): void {
  const { at, req, remoteAddress, path, error } = refusal;
  const { method = "", headers } = req;
  const userAgent = (headers["user-agent"] ?? "").slice(0, 256);
  const attributes = { verb: "create", apiGroup: "", resource: "links", subresource: "", namespace: "", name: "" };
  const { httpStatus: status, code, message: reason } = error;
  try {
    audit
      .begin({
        requestId: createId("req"),
        at,
        remoteAddress,
        userAgent,
        cluster: "",
        method,
        path,
        attributes,
        isLong: false,
      })
      .end({ status, code, reason, bytesToCluster: 0, bytesFromCluster: 0, durationMs: 0 });
  } catch {
    // It is refused, whether that can be recorded or not; the log has it, too.
  }
}
