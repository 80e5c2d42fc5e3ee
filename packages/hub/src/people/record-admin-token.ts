import { createId } from "@fairlead/kernel";
import type { AuditPort } from "./audit/index.ts";

/** The command makes and ends admin tokens beside the API; the records are those of a request to the hub. */
export async function recordAdminToken(
  audit: AuditPort,
  {
    kind,
    id,
    by,
    at,
  }: { readonly kind: "made" | "revoked"; readonly id: string; readonly by: string; readonly at: number },
): Promise<void> {
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
    attributes: {
      verb: kind === "made" ? "create" : "delete",
      apiGroup: "",
      resource: "admin-tokens",
      subresource: "",
      namespace: "",
      name: id,
    },
  });
  await trail.endSafely({ status: 200, bytesToCluster: 0, bytesFromCluster: 0, durationMs: 0 });
}
