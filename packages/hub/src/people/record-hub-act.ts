import { createId } from "@fairlead/kernel";
import type { AuditPort } from "./audit/index.ts";

/** The hub does this by itself, or beside the API; the record is like that of a request to the hub. */
export async function recordHubAct(
  audit: AuditPort,
  act: {
    readonly verb: "create" | "delete" | "expire";
    readonly resource: string;
    readonly name: string;
    readonly by: string;
    readonly at: number;
    readonly reason?: string | undefined;
  },
): Promise<void> {
  const { verb, resource, name, by, at, reason } = act;
  const trail = audit.begin({
    requestId: createId("req"),
    at,
    principal: { kind: "hub", name: by, uid: "" },
    remoteAddress: "",
    userAgent: "",
    cluster: "",
    method: "",
    path: "",
    isLong: false,
    attributes: { verb, apiGroup: "", resource, subresource: "", namespace: "", name },
  });
  await trail.endSafely({ status: 200, bytesToCluster: 0, bytesFromCluster: 0, durationMs: 0, reason });
}
