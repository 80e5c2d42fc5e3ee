import { isDnsLabel } from "@fairlead/kernel";
import { z } from "zod";
import { executeErrors } from "../errors.ts";
import { readableSecretsShape } from "../readable-secrets.ts";
import { chartShape, parseChart } from "./chart/chart-spec.ts";
import type { HelmAction, HelmSpec } from "./types.ts";
import { parseValuesRule, valuesFromShape } from "./values/values-spec.ts";

/** Everything that can be known without the cluster is settled here. */
export function parseHelmSpec(value: unknown): HelmSpec {
  const parsed = shape.safeParse(value);
  if (!parsed.success) throw executeErrors.COMMAND_SPEC_INVALID({ detail: describe(parsed.error) });
  const { release, namespace, wait, skipHooks, readableSecrets } = parsed.data;
  const { timeoutSeconds = defaultTimeoutSeconds, jobs = false } = wait === false ? {} : wait;
  return {
    release,
    namespace,
    skipHooks,
    readableSecrets,
    wait: { forObjects: wait !== false, forJobs: jobs, timeoutSeconds },
    action: toAction(parsed.data),
  };
}

function toAction(given: z.infer<typeof shape>): HelmAction {
  const { action, chart, atomic, createNamespace, forceConflicts, skipCrds, notes, historyMax = 10 } = given;
  const unused = membersOf(given).find((name) => !membersFor[action].has(name));
  if (unused !== undefined)
    throw executeErrors.COMMAND_SPEC_INVALID({ detail: `${unused}: the action ${action} doesn't support this member` });
  switch (action) {
    case "uninstall":
      return { type: "uninstall", keepHistory: given.keepHistory ?? false };
    case "rollback":
      return { type: "rollback", revision: given.revision, forceConflicts: forceConflicts ?? false, historyMax };
    case "test":
      return { type: "test" };
    case "upgrade": {
      if (chart === undefined)
        throw executeErrors.COMMAND_SPEC_INVALID({ detail: "chart: the action upgrade requires a chart" });
      const source = parseChart(chart);
      return {
        type: "upgrade",
        chart: source,
        values: parseValuesRule(given, source),
        historyMax,
        atomic: atomic ?? false,
        createNamespace: createNamespace ?? false,
        notes: notes ?? false,
        forceConflicts: forceConflicts ?? false,
        skipCrds: skipCrds ?? false,
      };
    }
  }
}

function membersOf(given: z.infer<typeof shape>): readonly string[] {
  return Object.keys(given).filter(
    (name) => !membersOfAll.has(name) && given[name as keyof typeof given] !== undefined,
  );
}

function describe({ issues: [issue] }: z.ZodError): string {
  const path = issue?.path.join(".");
  return `${path ? `${path}: ` : ""}${issue?.message ?? "it isn't as specs are"}`;
}

const label = z.string().refine(isDnsLabel, "it is no DNS label (a-z, 0-9 and -, at most 63)");

const shape = z.strictObject({
  release: z
    .string()
    .max(53, "a release has 53 characters at most")
    .regex(
      /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/,
      "it is no name of a release (a-z, 0-9, - and .)",
    ),
  namespace: label.default("default"),
  action: z.enum(["upgrade", "uninstall", "rollback", "test"]).default("upgrade"),
  chart: chartShape.optional(),
  values: z.record(z.string(), z.unknown()).optional(),
  reuseValues: z.boolean().optional(),
  valuesFiles: z.array(z.string().min(1).max(512)).max(32).optional(),
  valuesFrom: z.array(valuesFromShape).max(64).optional(),
  wait: z
    .union([
      z.literal(false),
      z.strictObject({ timeoutSeconds: z.int().min(1).max(3600).optional(), jobs: z.boolean().optional() }),
    ])
    .default({}),
  atomic: z.boolean().optional(),
  createNamespace: z.boolean().optional(),
  forceConflicts: z.boolean().optional(),
  skipHooks: z.boolean().default(false),
  readableSecrets: readableSecretsShape,
  skipCrds: z.boolean().optional(),
  historyMax: z.int().min(1).max(100).optional(),
  keepHistory: z.boolean().optional(),
  revision: z.int().min(1).optional(),
  notes: z.boolean().optional(),
});

const membersOfAll = new Set(["release", "namespace", "action", "wait", "skipHooks", "readableSecrets"]);
const membersFor: Readonly<Record<"upgrade" | "uninstall" | "rollback" | "test", ReadonlySet<string>>> = {
  upgrade: new Set([
    "chart",
    "values",
    "reuseValues",
    "valuesFiles",
    "valuesFrom",
    "atomic",
    "createNamespace",
    "forceConflicts",
    "skipCrds",
    "historyMax",
    "notes",
  ]),
  uninstall: new Set(["keepHistory"]),
  rollback: new Set(["revision", "forceConflicts", "historyMax"]),
  test: new Set(),
};
const defaultTimeoutSeconds = 300;
