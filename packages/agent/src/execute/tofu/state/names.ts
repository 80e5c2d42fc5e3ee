// How OpenTofu's backend names what it keeps in the cluster.
import type { TofuSpec } from "../types.ts";

type Place = Pick<TofuSpec, "name" | "namespace" | "workspace">;

export function stateSecretName({ name, workspace }: Place): string {
  return `tfstate-${workspace}-${name}`;
}

export function lockName(place: Place): string {
  return `lock-${stateSecretName(place)}`;
}

export function stateLabels({ name, workspace }: Place): Readonly<Record<string, string>> {
  return {
    tfstate: "true",
    tfstateSecretSuffix: name,
    tfstateWorkspace: workspace,
    "app.kubernetes.io/managed-by": "terraform",
  };
}

/** The owner of outputs and kept things. */
export function ownerOf({ name, namespace, workspace }: Place): string {
  return `tofu/${namespace}/${name}${workspace === "default" ? "" : `/${workspace}`}`;
}
