// A command's way to the API server: each request is judged by the policy of this cluster, and none that may change
// something leaves without the lease, whoever sends it.
import { createKubeClient, type KubeClient, type KubePool, readRequestAttributes } from "@fairlead/kube";
import { type PolicyKeeper, policyDenied } from "../policy/index.ts";
import { actAs } from "./impersonation.ts";
import { isClosed, nameRequest } from "./own-namespace.ts";

export function policeKube(options: {
  readonly client: KubeClient;
  readonly policy: Pick<PolicyKeeper, "judgeCommand">;
  readonly requester: string;
  /** `NAMESPACE/NAME` with whose rights each request is sent; the agent's own without. */
  readonly serviceAccount?: string | undefined;
  /** The agent's own namespace, where its keys, the records of commands and its pods are. */
  readonly ownNamespace: string | undefined;
  /** Throws when the lease is lost. */
  readonly check: () => void;
}): KubeClient {
  const { client, policy, requester, serviceAccount, ownNamespace, check } = options;
  const { pool, access } = client;
  const policed: KubePool = {
    ...pool,
    dispatch(request, handler) {
      judge(request);
      pool.dispatch(actAs(request, serviceAccount), handler);
    },
    dispatchUpgrade(request, handler) {
      judge(request, true);
      pool.dispatchUpgrade(actAs(request, serviceAccount), handler);
    },
    // It isn't the command's to end.
    [Symbol.asyncDispose]: async () => undefined,
  };
  return createKubeClient({ access, pool: policed });

  function judge({ method, path }: { readonly method: string; readonly path: string }, upgrade = false): void {
    if (method !== "GET" || upgrade) check();
    const attributes = readRequestAttributes({ method, path: path.slice(pool.basePath.length), upgrade });
    if (attributes === undefined) throw policyDenied({ rule: "paths", reason: "its path is ambiguous" });
    if (isClosed(ownNamespace, attributes))
      throw policyDenied({
        rule: "own namespace",
        reason: `no command can ${nameRequest(attributes)}: the agent's own namespace is closed to commands`,
      });
    const verdict = policy.judgeCommand({ attributes, requester, serviceAccount });
    if (!verdict.allowed) throw policyDenied(verdict);
  }
}
