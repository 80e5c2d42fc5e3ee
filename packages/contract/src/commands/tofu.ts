import { isDnsLabel } from "@fairlead/kernel";
import { z } from "zod";
import type { Infer } from "../infer.ts";
import { gitSourceSchema } from "./git.ts";
import { namespacedNameSchema } from "./namespaced-name.ts";

const dnsLabel = z.string().max(63).refine(isDnsLabel, { message: "must be a DNS label" });

export const tofuSpecSchema = z
  .strictObject({
    name: dnsLabel.describe("DNS label that, with namespace and workspace, identifies the state"),
    namespace: dnsLabel.optional().describe("Namespace of the state, the lock and the outputs (default `default`)"),
    workspace: dnsLabel.optional().describe("Workspace, which is created if it doesn't exist (default `default`)"),
    source: z
      .union([
        z.strictObject({
          files: z
            .record(z.string(), z.string())
            .describe("Contents of the configuration's files by path, at most 500 files and 3 MiB"),
        }),
        z.strictObject({
          git: gitSourceSchema.describe("Git repository that holds the configuration"),
          path: z.string().optional().describe("Folder of the repository in which OpenTofu runs (default: the root)"),
        }),
      ])
      .describe("Configuration of OpenTofu: inline files or a git repository"),
    replaceBackend: z
      .boolean()
      .optional()
      .describe("Ignore a backend that the configuration declares, which is otherwise an error (default false)"),
    variables: z
      .record(z.string(), z.unknown())
      .optional()
      .describe("Variables by name, with values of any type. Strings can hold references to Secrets (default: none)"),
    variablesFrom: z
      .array(z.string())
      .max(50)
      .readonly()
      .optional()
      .describe(
        "Texts, such as references to Secrets, that are JSON objects of variables. Later ones override earlier ones, and `variables` overrides all (default: none)",
      ),
    environment: z
      .record(z.string(), z.string())
      .optional()
      .describe("Environment variables for providers. Values can hold references to Secrets (default: none)"),
    action: z
      .enum(["apply", "destroy", "refresh", "drift"])
      .optional()
      .describe(
        "Action to take. `refresh` updates only the state; `drift` reports differences and changes nothing (default `apply`)",
      ),
    targets: z
      .array(z.string())
      .max(100)
      .readonly()
      .optional()
      .describe("Addresses of the resources to act on (default: all)"),
    outputs: z
      .strictObject({
        secret: z.string().describe("Name of the Secret, in `namespace`"),
        names: z.array(z.string()).readonly().optional().describe("Names of the outputs to write (default: all)"),
      })
      .optional()
      .describe("Secret that the outputs are written to (default: they aren't written)"),
    providers: z
      .strictObject({
        mirror: z
          .string()
          .optional()
          .describe(
            "Mirror to take providers from: a folder on the agent's side, or `https://…/`. No other source is used",
          ),
      })
      .optional()
      .describe("Source of providers (default: as the agent is configured)"),
    readableSecrets: z
      .array(namespacedNameSchema)
      .max(50)
      .readonly()
      .optional()
      .describe(
        "Secrets that the configuration reads beside those that its state manages, each as `NAMESPACE/NAME`, at most 50 (default: none)",
      ),
    parallelism: z
      .int()
      .min(1)
      .max(100)
      .optional()
      .describe("Maximum number of resources that OpenTofu works on at once, 1 to 100 (default: OpenTofu's)"),
    lockTimeoutSeconds: z
      .int()
      .min(0)
      .max(3_600)
      .optional()
      .describe("Time to wait for a lock of the state that someone else holds, in seconds (default 0)"),
  })
  .meta({
    id: "TofuSpec",
    description: "Spec of a command of kind `tofu`: a configuration of OpenTofu, whose state is in the cluster",
  });
export type TofuSpec = Infer<typeof tofuSpecSchema>;
