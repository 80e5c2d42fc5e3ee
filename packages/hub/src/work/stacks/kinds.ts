// What a stack must know of each kind of command that it may have. A kind without a line can't be in a stack.
import type { CommandKindName, CommandSpecs } from "@fairlead/contract";

interface StackKind<Spec> {
  /** The spec of the command that takes away what this one's command made. */
  readonly destroySpecOf: (spec: Spec) => Spec;
  /** The Secret that it writes its outputs to; undefined: it has none. */
  readonly outputsSecretOf: (spec: Spec) => OutputsSecret | undefined;
}

export interface OutputsSecret {
  readonly namespace: string;
  readonly name: string;
}

export type StackKinds = { readonly [Kind in CommandKindName]?: StackKind<CommandSpecs[Kind]> };

export const stackKinds: StackKinds = {
  manifests: {
    destroySpecOf: ({ set, namespace, wait }) => ({
      ...{ set, namespace, wait, manifests: "", prune: true, allowEmpty: true },
    }),
    outputsSecretOf: () => undefined,
  },
};

export function isStackKind(kinds: StackKinds, kind: CommandKindName): boolean {
  return kinds[kind] !== undefined;
}

/** Also of a spec that is kept, and may be one of an earlier version of the hub. */
export function destroySpecOf(kinds: StackKinds, kind: string, spec: unknown): unknown {
  const rules = rulesOf(kinds, kind);
  if (!rules) throw new Error(`${kind} can't be in a stack`);
  return rules.destroySpecOf(spec);
}

export function outputsSecretOf(kinds: StackKinds, kind: CommandKindName, spec: unknown): OutputsSecret | undefined {
  return rulesOf(kinds, kind)?.outputsSecretOf(spec);
}

function rulesOf(kinds: StackKinds, kind: string): StackKind<unknown> | undefined {
  return kinds[kind as CommandKindName] as StackKind<unknown> | undefined;
}
