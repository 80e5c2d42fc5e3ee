import { isFairleadError, reasonOf } from "@fairlead/kernel";
import { type KubeClient, type KubeRequest, kubeErrors } from "@fairlead/kube";
import { executeErrors } from "../errors.ts";

/** Those that say what is there already are thrown as they are, all others as COMMAND_RECORD_FAILED. */
export function createSecretRequests(client: KubeClient): <T>(what: KubeRequest) => Promise<T> {
  const place = placeOfSecrets(client);
  return async (what) => {
    try {
      return await client.request({ timeoutMs: 10_000, ...what });
    } catch (error) {
      if (what.signal?.aborted || kubeErrors.is(error, ...expectedErrors) || !isFairleadError(error)) throw error;
      const { message } = error;
      // A token that has just been rotated is refused for a moment.
      const retryable = error.retryable || kubeErrors.is(error, "KUBE_UNAUTHORIZED");
      const reason = kubeErrors.is(error) ? message.replace(/\.$/, "") : reasonOf(error);
      throw executeErrors.COMMAND_RECORD_FAILED({ place, reason, retryable, cause: error });
    }
  };
}

export function placeOfSecrets({ access }: Pick<KubeClient, "access">): string {
  return `Secrets of the namespace ${access.namespace}`;
}

export const expectedErrors = ["KUBE_CONFLICT", "KUBE_ALREADY_EXISTS", "KUBE_NOT_FOUND"] as const;
