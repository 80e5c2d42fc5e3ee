// The kinds of commands that a stack may have, with what it must know of each. A kind without a line can't be in a
// stack.
import type { CommandKindName, CommandSpecs } from "@fairlead/contract";

interface StackKind<Spec> {
  /** It says what is to be there, and not something else that is to be done. */
  readonly isDeclaring: (spec: Spec) => boolean;
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
    isDeclaring: () => true,
    destroySpecOf: ({ set, namespace, wait }) => ({
      set,
      namespace,
      wait,
      manifests: "",
      prune: true,
      allowEmpty: true,
    }),
    outputsSecretOf: () => undefined,
  },
  helm: {
    isDeclaring: ({ action = "upgrade" }) => action === "upgrade",
    destroySpecOf: ({ release, namespace, wait, skipHooks }) => ({
      release,
      namespace,
      wait,
      skipHooks,
      action: "uninstall",
    }),
    outputsSecretOf: () => undefined,
  },
  tofu: {
    isDeclaring: ({ action = "apply" }) => action === "apply",
    destroySpecOf: (spec) => ({ ...spec, action: "destroy" }),
    outputsSecretOf: ({ namespace = "default", outputs }) => outputs && { namespace, name: outputs.secret },
  },
};

export function isStackKind(kinds: StackKinds, kind: CommandKindName): boolean {
  return kinds[kind] !== undefined;
}

export function isDeclaring(kinds: StackKinds, kind: CommandKindName, spec: unknown): boolean {
  return rulesOf(kinds, kind)?.isDeclaring(spec) ?? false;
}

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
