import { isDnsLabel } from "@fairlead/kernel";
import { type GitopsMode, gitopsModes, type Role, roles } from "@fairlead/protocol";
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
const namespaceName = z.string().refine(isDnsLabel, "must be the name of a namespace");
const modeList = z.preprocess(
  (value) => (typeof value === "string" ? value.split(",").map((mode) => mode.trim()) : value),
  z.array(z.enum(gitopsModes, "must be managed, autonomous or both")).min(1),
);
const listenAddress = z.string().regex(/^(\[[0-9a-fA-F:.]+\]|[^:\s]+):\d{1,5}$/, "must look like 127.0.0.1:8080");
const serverAddress = z
  .string()
  .regex(/^(\[[0-9a-fA-F:.]+\]|[^:/\s]+):\d{1,5}$/, "must look like argocd-redis.argocd:6379")
  .refine((text) => Number(text.slice(text.lastIndexOf(":") + 1)) <= 65_535, "must have a port up to 65535");
const toggle = z.union(
  [z.boolean(), z.enum(["true", "false"]).transform((word) => word === "true")],
  "must be true or false",
);
const secretName = z.string().regex(objectName, "must be the name of a Secret").max(253);
const leaseName = z.string().regex(objectName, "must be the name of a Lease").max(253);
const hubUrl = z
  .string()
  .refine(
    (text) => URL.canParse(text) && /^(https?|wss?):$/.test(new URL(text).protocol),
    "must be an https:// or wss:// URL",
  );

/** It becomes a text of OpenTofu's configuration. */
const providerMirror = z
  .string()
  .max(1000)
  .regex(/^(?:https:\/\/[^\s"\\$%]+\/|\/[^\s"\\$%]*)$/, "must be a folder from the root on, or https://…/");

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
  readonly observeDoctor: boolean;
  readonly observeDoctorProbes: boolean;
  readonly executeFolder?: string | undefined;
  readonly executeLogMib: number;
  readonly executeSpoolMib: number;
  readonly executeProgramMemoryMib: number;
  readonly executeParallel: number;
  readonly executeRunner?: string | undefined;
  readonly executeRunnerSocket?: string | undefined;
  readonly executeUids: { readonly first: number; readonly last: number };
  readonly executeUnfenced: boolean;
  readonly tofuProviderMirror?: string | undefined;
  readonly tofuProviderCache?: string | undefined;
  readonly commandKeysFile?: string | undefined;
  readonly argoNamespace: string;
  readonly argoApplicationNamespaces: readonly string[];
  readonly gitopsModes: readonly GitopsMode[];
  readonly gitopsLease?: string | undefined;
  readonly argoRedisAddress?: string | undefined;
  readonly argoRedisUsername?: string | undefined;
  readonly argoRedisPasswordFile?: string | undefined;
  readonly argoRedisTls?: boolean | undefined;
  readonly argoRedisCaFile?: string | undefined;
  readonly argoHubRedisListen?: string | undefined;
  readonly argoHubRepoServerListen?: string | undefined;
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
  observeDoctor: toggle.default(true),
  observeDoctorProbes: toggle.default(false),
  executeFolder: z.string().min(1).optional(),
  executeLogMib: z.coerce.number().int().min(1).max(1024).default(1024),
  executeSpoolMib: z.coerce.number().int().min(32).default(1024),
  executeProgramMemoryMib: z.coerce.number().int().min(256).default(1024),
  executeParallel: z.coerce.number().int().min(1).max(16).default(4),
  executeRunner: z.string().min(1).optional(),
  executeRunnerSocket: z.string().min(1).optional(),
  executeUids: z
    .string()
    .regex(/^[1-9]\d{0,8}-[1-9]\d{0,8}$/, "must look like FIRST-LAST (64000-64063)")
    .transform((text) => text.split("-").map(Number))
    .transform(([first = 0, last = 0]) => ({ first, last }))
    .refine(({ first, last }) => last >= first && last - first < 4096, "must be at most 4096 user ids")
    .default({ first: 64_000, last: 64_063 }),
  executeUnfenced: toggle.default(false),
  tofuProviderMirror: providerMirror.optional(),
  tofuProviderCache: z.string().min(1).optional(),
  commandKeysFile: z.string().min(1).optional(),
  argoNamespace: namespaceName.default("argocd"),
  argoApplicationNamespaces: namespaces.default([]),
  gitopsModes: modeList.default([...gitopsModes]),
  gitopsLease: leaseName.optional(),
  argoRedisAddress: serverAddress.optional(),
  argoRedisUsername: z.string().min(1).optional(),
  argoRedisPasswordFile: z.string().min(1).optional(),
  argoRedisTls: toggle.optional(),
  argoRedisCaFile: z.string().min(1).optional(),
  argoHubRedisListen: listenAddress.optional(),
  argoHubRepoServerListen: listenAddress.optional(),
  healthListen: listenAddress.default("127.0.0.1:0"),
  logLevel: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).default("info"),
  drainSeconds: z.coerce.number().min(0).max(3600).default(30),
});
