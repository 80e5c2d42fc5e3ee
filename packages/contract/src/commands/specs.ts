// The spec of each kind of command, and what follows from it.
import type { z } from "zod";
import { type FlowSpec, flowSpecSchema } from "./flow.ts";
import { type HelmSpec, helmSpecSchema } from "./helm.ts";
import { type ManifestsSpec, manifestsSpecSchema } from "./manifests.ts";
import type { CommandKindName } from "./names.ts";
import { type TofuSpec, tofuSpecSchema } from "./tofu.ts";

export interface CommandSpecs {
  readonly manifests: ManifestsSpec;
  readonly flow: FlowSpec;
  readonly helm: HelmSpec;
  readonly tofu: TofuSpec;
}

interface SpecRules<Spec> {
  readonly schema: z.ZodType<Spec>;
  /** Where it acts, for people and for lists. */
  readonly namespaceOf: (spec: Spec) => string;
  /** Commands of a kind that name the same thing in a namespace run one after another. */
  readonly nameOf: (spec: Spec) => string;
}

export const commandSpecs: { readonly [Kind in CommandKindName]: SpecRules<CommandSpecs[Kind]> } = {
  manifests: {
    schema: manifestsSpecSchema,
    namespaceOf: ({ namespace = "default" }) => namespace,
    nameOf: ({ set }) => set,
  },
  flow: {
    schema: flowSpecSchema,
    namespaceOf: ({ namespace = "default" }) => namespace,
    nameOf: ({ name }) => name,
  },
  helm: {
    schema: helmSpecSchema,
    namespaceOf: ({ namespace = "default" }) => namespace,
    nameOf: ({ release }) => release,
  },
  tofu: {
    schema: tofuSpecSchema,
    namespaceOf: ({ namespace = "default" }) => namespace,
    nameOf: ({ name }) => name,
  },
};

/** A kind with a spec of that kind. */
export type KindAndSpec = {
  readonly [Kind in CommandKindName]: { readonly kind: Kind; readonly spec: CommandSpecs[Kind] };
}[CommandKindName];

export function placeOf<Kind extends CommandKindName>(
  kind: Kind,
  spec: CommandSpecs[Kind],
): { readonly namespace: string; readonly target: string } {
  const { namespaceOf, nameOf } = commandSpecs[kind];
  const namespace = namespaceOf(spec);
  return { namespace, target: `${kind}/${namespace}/${nameOf(spec)}` };
}
