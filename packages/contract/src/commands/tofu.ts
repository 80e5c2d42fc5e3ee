import { isDnsLabel } from "@fairlead/kernel";
import { z } from "zod";
import { type GitSource, gitSourceSchema } from "./git.ts";

/** The spec of the kind `tofu`: a configuration of OpenTofu, whose state is in the cluster. */
export interface TofuSpec {
  /** With namespace and workspace it says which state is meant. */
  readonly name: string;
  /** Where state, lock and outputs lie; `default` unless told. */
  readonly namespace?: string | undefined;
  /** `default` unless told. */
  readonly workspace?: string | undefined;
  readonly source: TofuSource;
  /** The source's own backend is ignored, rather than refused. */
  readonly replaceBackend?: boolean | undefined;
  /** Values of any kind; references may stand in their texts. */
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  /** Texts, such as references, that are JSON objects of variables. Later ones win, and `variables` over all. */
  readonly variablesFrom?: readonly string[] | undefined;
  /** Variables of the environment; references may stand in them. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** `apply` unless told; `drift` changes nothing. */
  readonly action?: "apply" | "destroy" | "refresh" | "drift" | undefined;
  /** Addresses of resources; all unless told. */
  readonly targets?: readonly string[] | undefined;
  /** The Secret that outputs go to; all of them unless `names` says which. */
  readonly outputs?: { readonly secret: string; readonly names?: readonly string[] | undefined } | undefined;
  /** The mirror is a folder where the agent is, or https://…/; nothing else is asked for providers then. */
  readonly providers?: { readonly mirror?: string | undefined } | undefined;
  readonly parallelism?: number | undefined;
  /** How long others' lock is waited for; not at all unless told. */
  readonly lockTimeoutSeconds?: number | undefined;
}

export type TofuSource =
  /** Texts by path. */
  | { readonly files: Readonly<Record<string, string>> }
  /** OpenTofu runs in the folder `path` of it. */
  | { readonly git: GitSource; readonly path?: string | undefined };

const dnsLabel: z.ZodType<string> = z.string().max(63).refine(isDnsLabel, { message: "must be a DNS label" });

export const tofuSpecSchema: z.ZodType<TofuSpec> = z
  .strictObject({
    name: dnsLabel,
    namespace: dnsLabel.optional(),
    workspace: dnsLabel.optional(),
    source: z.union([
      z.strictObject({ files: z.record(z.string(), z.string()) }),
      z.strictObject({ git: gitSourceSchema, path: z.string().optional() }),
    ]),
    replaceBackend: z.boolean().optional(),
    variables: z.record(z.string(), z.unknown()).optional(),
    variablesFrom: z.array(z.string()).max(50).readonly().optional(),
    environment: z.record(z.string(), z.string()).optional(),
    action: z.enum(["apply", "destroy", "refresh", "drift"]).optional(),
    targets: z.array(z.string()).max(100).readonly().optional(),
    outputs: z.strictObject({ secret: z.string(), names: z.array(z.string()).readonly().optional() }).optional(),
    providers: z.strictObject({ mirror: z.string().optional() }).optional(),
    parallelism: z.int().min(1).max(100).optional(),
    lockTimeoutSeconds: z.int().min(0).max(3_600).optional(),
  })
  .meta({ id: "TofuSpec" });
