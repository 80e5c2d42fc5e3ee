// An empty state, where there is none. OpenTofu would make it itself, under a lock of its own.
import { randomUUID } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { kubeErrors } from "@fairlead/kube";
import type { Task } from "../../types.ts";
import { tofuErrors } from "../errors.ts";
import type { TofuSpec } from "../types.ts";
import { stateLabels, stateSecretName } from "./names.ts";

/** Throws TOFU_STATE_FOREIGN. Needs the lock. */
export async function ensureState(task: Task<TofuSpec>, version: string): Promise<void> {
  const { kube, spec, signal } = task;
  const name = stateSecretName(spec);
  const folder = `/api/v1/namespaces/${spec.namespace}/secrets`;
  const found = await kube.request<Secret>({ path: `${folder}/${name}`, signal }).catch((error: unknown) => {
    if (!kubeErrors.is(error, "KUBE_NOT_FOUND")) throw error;
    return undefined;
  });
  if (found && found.metadata.labels?.["tfstate"] !== "true")
    throw tofuErrors.TOFU_STATE_FOREIGN({ secret: `${spec.namespace}/${name}` });
  if (found?.data?.["tfstate"] !== undefined) return;
  const state = {
    version: 4,
    terraform_version: version,
    serial: 0,
    lineage: randomUUID(),
    outputs: {},
    resources: [],
  };
  const data = { tfstate: (await promisify(gzip)(JSON.stringify(state))).toString("base64") };
  const metadata = { name, labels: stateLabels(spec), annotations: { encoding: "gzip" }, ...found?.metadata };
  const body = { apiVersion: "v1", kind: "Secret", metadata, data };
  task.mayAct();
  await kube.request(
    found ? { method: "PUT", path: `${folder}/${name}`, body, signal } : { method: "POST", path: folder, body, signal },
  );
}

interface Secret {
  readonly metadata: { readonly labels?: Readonly<Record<string, string>> };
  readonly data?: Readonly<Record<string, string>>;
}
