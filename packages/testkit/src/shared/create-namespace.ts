import { randomBytes } from "node:crypto";
import { waitUntil } from "@fairlead/kernel/testing";
import type { ClusterAccess } from "../cluster/index.ts";
import { processNotReady } from "../errors.ts";

export interface TestNamespace extends AsyncDisposable {
  readonly name: string;
}

/** A namespace of its own for one test, in which pods can be created at once. Deleted, not awaited, on disposal. */
export async function createNamespace(cluster: ClusterAccess, prefix = "test"): Promise<TestNamespace> {
  const name = `${prefix}-${randomBytes(4).toString("hex")}`;
  const path = `/api/v1/namespaces/${name}`;
  await cluster.api.json({
    method: "POST",
    path: "/api/v1/namespaces",
    body: { apiVersion: "v1", kind: "Namespace", metadata: { name } },
  });
  const hasAccount = async () => (await cluster.api.send({ path: `${path}/serviceaccounts/default` })).status === 200;
  const timeoutMs = 30_000;
  if (!(await waitUntil(hasAccount, { timeoutMs }))) throw processNotReady(`namespace ${name}`, timeoutMs, "");
  return {
    name,
    async [Symbol.asyncDispose]() {
      await cluster.api.send({ method: "DELETE", path });
    },
  };
}
