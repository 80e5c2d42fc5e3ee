// A command's way to the API server: each request is judged by the policy of this cluster, and none that may change
// something leaves without the lease, whoever sends it.
import { createKubeClient, type KubeClient, type KubePool, readRequestAttributes } from "@fairlead/kube";
import { type PolicyKeeper, policyDenied } from "../policy/index.ts";
import { actAs } from "./impersonation.ts";

export function policeKube(options: {
  readonly client: KubeClient;
  readonly policy: Pick<PolicyKeeper, "judgeCommand">;
  readonly requester: string;
  /** `NAMESPACE/NAME` with whose rights each request is sent; the agent's own without. */
  readonly serviceAccount?: string | undefined;
  /** The namespace whose Secrets are the agent's own: its identity and the records of commands are among them. */
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
      judge(request);
      pool.dispatchUpgrade(actAs(request, serviceAccount), handler);
    },
    // It isn't the command's to end.
    [Symbol.asyncDispose]: async () => undefined,
  };
  return createKubeClient({ access, pool: policed });

  function judge({ method, path }: { readonly method: string; readonly path: string }): void {
    if (method !== "GET") check();
    const attributes = readRequestAttributes({ method, path: path.slice(pool.basePath.length) });
    if (attributes === undefined) throw policyDenied({ rule: "paths", reason: "its path can be read in two ways" });
    const { apiGroup, resource, namespace } = attributes;
    const isOwn = ownNamespace !== undefined && (namespace === ownNamespace || namespace === "");
    if (isOwn && apiGroup === "" && resource === "secrets")
      throw policyDenied({
        rule: "own Secrets",
        reason: "no command touches the Secrets of the agent's own namespace",
      });
    const verdict = policy.judgeCommand({ attributes, requester, serviceAccount });
    if (!verdict.allowed) throw policyDenied(verdict);
  }
}
