import { isDnsLabel } from "@fairlead/kernel";
import { type Role, roles } from "@fairlead/protocol";
import { z } from "zod";

const roleList = z.preprocess(
  (value) => (typeof value === "string" ? value.split(",").map((role) => role.trim()) : value),
  z.array(z.enum(roles)).min(1),
);
const objectName = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;
const textList = z.preprocess(
  (value) =>
    typeof value === "string"
      ? value
          .split(",")
          .map((item) => item.trim())
          .filter(Boolean)
      : value,
  z.array(z.string()),
);
const kindPatterns = textList.refine(
  (patterns) => patterns.every((pattern) => /^(\*|(\*\.)?[a-z0-9]([-a-z0-9.]*[a-z0-9])?)$/.test(pattern)),
  "must be kinds such as configmaps, deployments.apps, *.example.com or *",
);
const namespaces = textList.refine((names) => names.every(isDnsLabel), "must be names of namespaces");
const listenAddress = z.string().regex(/^(\[[0-9a-fA-F:.]+\]|[^:\s]+):\d{1,5}$/, "must look like 127.0.0.1:8080");
const secretName = z.string().regex(objectName, "must be the name of a Secret").max(253);
const leaseName = z.string().regex(objectName, "must be the name of a Lease").max(253);
const hubUrl = z
  .string()
  .refine(
    (text) => URL.canParse(text) && /^(https?|wss?):$/.test(new URL(text).protocol),
    "must be an https:// or wss:// URL",
  );

export interface Settings {
  readonly hub?: string | undefined;
  readonly identity: "certificate" | "mesh";
  readonly token?: string | undefined;
  readonly tokenFile?: string | undefined;
  readonly proxy?: string | undefined;
  readonly caFile?: string | undefined;
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly policyFile?: string | undefined;
  readonly roles: readonly Role[];
  readonly stateDir?: string | undefined;
  readonly identitySecret?: string | undefined;
  readonly observeInclude: readonly string[];
  readonly observeExclude: readonly string[];
  readonly observeNamespaces: readonly string[];
  readonly observeLabelSelector?: string | undefined;
  readonly observeEnvValues: "keep" | "mask";
  readonly observeMaxObjectBytes: number;
  readonly observeLease?: string | undefined;
  readonly executeFolder?: string | undefined;
  readonly executeParallel: number;
  readonly commandKeysFile?: string | undefined;
  readonly healthListen: string;
  readonly logLevel: string;
  readonly drainSeconds: number;
}

/** Everything that can be set, by its name in the YAML file. */
export const settingsSchema: z.ZodType<Settings> = z.strictObject({
  hub: hubUrl.optional(),
  identity: z.enum(["certificate", "mesh"], "must be certificate or mesh").default("certificate"),
  token: z.string().min(1).optional(),
  tokenFile: z.string().min(1).optional(),
  proxy: z.string().min(1).optional(),
  caFile: z.string().min(1).optional(),
  kubeconfig: z.string().min(1).optional(),
  context: z.string().min(1).optional(),
  policyFile: z.string().min(1).optional(),
  roles: roleList.default(["proxy"]),
  stateDir: z.string().min(1).optional(),
  identitySecret: secretName.optional(),
  observeInclude: kindPatterns.default([]),
  observeExclude: kindPatterns.default([]),
  observeNamespaces: namespaces.default([]),
  observeLabelSelector: z.string().min(1).optional(),
  observeEnvValues: z.enum(["keep", "mask"]).default("mask"),
  observeMaxObjectBytes: z.coerce
    .number()
    .int()
    .min(16 * 1024)
    .max(1024 * 1024)
    .default(256 * 1024),
  observeLease: leaseName.optional(),
  executeFolder: z.string().min(1).optional(),
  executeParallel: z.coerce.number().int().min(1).max(16).default(4),
  commandKeysFile: z.string().min(1).optional(),
  healthListen: listenAddress.default("127.0.0.1:0"),
  logLevel: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).default("info"),
  drainSeconds: z.coerce.number().min(0).max(3600).default(30),
});
