// What a configuration may do in the cluster, and which Secrets it sees: those that the command names, its state, and those
// that its state manages.
import { namedSecrets } from "../../secrets/index.ts";
import type { ProgramsWish } from "../programs-wish.ts";
import type { ManagedSecrets } from "./state/managed-secrets.ts";
import { stateSecretName } from "./state/names.ts";
import type { TofuSpec } from "./types.ts";

export function wishForTofu(
  spec: TofuSpec,
  { phase, managed }: { readonly phase: ProgramsWish["phase"]; readonly managed: ManagedSecrets },
): ProgramsWish {
  const { variables, variablesFrom, environment, readableSecrets } = spec;
  const names = [...readableSecrets, ...namedSecrets({ variables, variablesFrom, environment })];
  return {
    phase,
    secrets: { names, isOwn: (namespace, name) => isState(spec, namespace, name) || managed.has(namespace, name) },
  };
}

/** A large state is in several Secrets. */
function isState(spec: TofuSpec, namespace: string, name: string): boolean {
  const own = stateSecretName(spec);
  return namespace === spec.namespace && name.startsWith(own) && /^(?:-part-\d+)?$/.test(name.slice(own.length));
}
