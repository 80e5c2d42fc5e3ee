import { Code, ConnectError, type ConnectRouter } from "@connectrpc/connect";
import { formatGitopsRefusal, type GitopsRefusal, GitopsService, gitopsRefusals } from "@fairlead/protocol";
import { type CallingAgent, toRpcError } from "../../../reach/links/index.ts";
import { gitopsErrors } from "../errors.ts";
import type { ReplicateAnswer, Replication } from "./service.ts";

/** Registers the call on an agent's link. */
export function createGitopsRpc(replication: Replication): (router: ConnectRouter, peer: () => CallingAgent) => void {
  return (router, peer) => {
    router.service(GitopsService, {
      async *replicate(requests, { signal }): AsyncGenerator<ReplicateAnswer> {
        const { cluster, roles, refusal } = peer();
        if (!roles.includes("gitops"))
          throw new ConnectError("This identity hasn't the role gitops.", Code.PermissionDenied);
        try {
          yield* replication.serve(requests, { cluster, refusal, signal });
        } catch (error) {
          throw toWire(error);
        }
      },
    });
  };
}

function toWire(error: unknown): Error {
  const refusal = gitopsRefusals.find((code: GitopsRefusal) => gitopsErrors.is(error, code));
  return refusal && error instanceof Error ? formatGitopsRefusal(refusal, error.message) : toRpcError(error);
}
