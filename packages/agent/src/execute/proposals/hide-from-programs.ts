// What programs of a proposal see of Secrets before somebody has approved that they run: those in which Helm and OpenTofu
// keep a release or a state. And which Secrets programs of others have asked for.
import type { KubeClient, KubePool } from "@fairlead/kube";
import type { ProgramsWish } from "../programs-wish.ts";
import { readSecretRequest } from "./secret-request.ts";

export function hideFromPrograms({ phase, secrets }: ProgramsWish): ProgramsWish {
  return { phase, secrets: { names: [], isOwn: secrets.isOwn, isProposal: true } };
}

/** Adds `NAMESPACE/NAME` of each Secret that a program asks for. */
export function noteFromPrograms(kube: KubeClient, read: Set<string>): KubeClient {
  const { pool } = kube;
  const noting: KubePool = {
    ...pool,
    dispatch(request, handler) {
      const asked = readSecretRequest(request.method, request.path.slice(pool.basePath.length));
      // Where OpenTofu keeps the state isn't a Secret that the command names.
      if (asked && !asked.name.startsWith("tfstate-")) read.add(`${asked.namespace}/${asked.name || "*"}`);
      pool.dispatch(request, handler);
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
  return { ...kube, pool: noting };
}
