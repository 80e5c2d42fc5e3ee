import { isDnsLabel } from "@fairlead/kernel";
import { z } from "zod";
import { gitSourceSchema } from "../../git/index.ts";
import { executeErrors } from "../errors.ts";
import { plainFolder } from "../inner-folder.ts";
import { readableSecretsShape } from "../readable-secrets.ts";
import type { TofuSource, TofuSpec } from "./types.ts";

/** Throws COMMAND_SPEC_INVALID. */
export function parseTofuSpec(value: unknown): TofuSpec {
  const parsed = shape.safeParse(value);
  if (!parsed.success) throw executeErrors.COMMAND_SPEC_INVALID({ detail: describe(parsed.error) });
  const { source: from, providers, outputs, parallelism, ...spec } = parsed.data;
  return { ...spec, outputs, parallelism, source: readSource(from), mirror: providers?.mirror };
}

function readSource({ files = {}, git, path: folder = "." }: z.infer<typeof source>): TofuSource {
  return git === undefined ? { is: "files", files } : { is: "git", git, path: folder };
}

function describe({ issues }: z.ZodError): string {
  const [issue] = issues;
  const path = issue?.path.join(".");
  // A problem with a name stands one step deeper.
  const said = issue?.code === "invalid_key" ? (issue.issues[0] ?? issue) : issue;
  return `${path ? `${path}: ` : ""}${said?.message ?? "it isn't as specs are"}`;
}

const label = z.string().refine(isDnsLabel, "it is no DNS label (a-z, 0-9 and -, at most 63)");

const path = z
  .string()
  .max(1000)
  .regex(/^(?!\/)(?!.*(?:^|\/)\.{1,2}(?:\/|$))[^\0\r\n\\]+$/, "must be a path inside of the source");

/** An address of a resource; it is an argument, after `-target=`. */
const target = z
  .string()
  .min(1)
  .max(1000)
  .regex(/^[\x20-\x7e]+$/, "must be the address of a resource");

const identifier = z
  .string()
  .max(250)
  .regex(/^[\p{L}_][\p{L}\p{N}_-]*$/u, "must be the name of a variable");

const name = z
  .string()
  .max(250)
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must be the name of a variable of the environment")
  .refine((text) => !reserved.test(text), "is set by the agent");

/** Names of variables that decide which programs run, where the state is, and what git does. */
const reserved =
  /^(?:TF_|TOFU_|KUBE|GIT_|SSH_|LD_|DYLD_|PATH$|HOME$|TMPDIR$|SHELL$|ENV$|BASH_ENV$|CHECKPOINT_DISABLE$|NODE_OPTIONS$)/i;

const source = z
  .strictObject({
    files: z
      .record(path, z.string())
      .refine((files) => Object.keys(files).length > 0, "names no file")
      .refine((files) => Object.keys(files).length <= 500, "names more than 500 files")
      .optional(),
    git: gitSourceSchema.optional(),
    path: z
      .string()
      .transform(plainFolder)
      .pipe(z.union([z.literal("."), path]))
      .optional(),
  })
  .refine(({ files, git }) => (files === undefined) !== (git === undefined), "needs files or git, and not both")
  .refine(({ files, path: folder }) => files === undefined || folder === undefined, "has no path with files");

const shape = z.strictObject({
  name: label,
  namespace: label.default("default"),
  workspace: label.default("default"),
  source,
  replaceBackend: z.boolean().default(false),
  variables: z.record(identifier, z.unknown()).default({}),
  variablesFrom: z.array(z.string().max(4096)).max(50).readonly().default([]),
  environment: z.record(name, z.string().max(64 * 1024)).default({}),
  action: z.enum(["apply", "destroy", "refresh", "drift"]).default("apply"),
  targets: z.array(target).max(100).readonly().default([]),
  outputs: z
    .strictObject({
      secret: z.string().regex(/^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/),
      names: z.array(identifier).optional(),
    })
    .optional(),
  providers: z
    .strictObject({
      mirror: z
        .string()
        .max(1000)
        .regex(/^(?:https:\/\/[^\s"\\$%]+\/|\/[^\s"\\$%]*)$/, "must be a folder, or https://…/")
        .optional(),
    })
    .optional(),
  readableSecrets: readableSecretsShape,
  parallelism: z.int().min(1).max(100).optional(),
  lockTimeoutSeconds: z.int().min(0).max(3600).default(0),
});
