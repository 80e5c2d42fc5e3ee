import { type Check, destructive, fail, pass, type Verdict, warn } from "../../checks/index.ts";
import type { Profile } from "../../profiles/index.ts";
import type { Evidence } from "../../snapshot/index.ts";
import { changeField } from "./change-field.ts";
import { type Configuration, judgeConfigurations } from "./configuration.ts";

type Limit = keyof Profile["argoWorkflows"];

/** How long jobs run and are kept, and how many run at once. */
export const limitChecks: readonly Check[] = [
  limitCheck({
    id: "argo-workflows.active-deadline",
    title: "Jobs may run as long as the profile says, and no longer",
    why: "A shorter deadline ends long jobs without a fault of theirs. Without one, a job that hangs runs for ever.",
    costs: {
      lower: "Jobs that run longer are ended.",
      higher: "Somebody set the deadline that is there: jobs that hang then run for longer.",
    },
    limit: "activeDeadlineSeconds",
    path: ["workflowDefaults", "spec", "activeDeadlineSeconds"],
    judge: judgeDuration,
  }),
  limitCheck({
    id: "argo-workflows.time-to-live",
    title: "Finished jobs are kept as long as the profile says",
    why: "Finished workflows that are never deleted fill etcd. Those deleted at once are gone before anybody has read how they ended.",
    costs: {
      lower: "Finished workflows are deleted at that age, those that are older at once.",
      higher: "Somebody set the time that is there: finished workflows then fill etcd for longer.",
    },
    limit: "secondsAfterCompletion",
    path: ["workflowDefaults", "spec", "ttlStrategy", "secondsAfterCompletion"],
    judge: judgeDuration,
  }),
  limitCheck({
    id: "argo-workflows.parallelism",
    title: "The cluster runs as many jobs at once as the profile says",
    why: "Further workflows stay pending until others end. Without the field there is no limit.",
    costs: {
      higher: "Somebody set the limit that is there: more workflows then share the cluster's nodes at once.",
    },
    limit: "parallelism",
    path: ["parallelism"],
    judge: judgeParallelism,
  }),
  limitCheck({
    id: "argo-workflows.namespace-parallelism",
    title: "A namespace runs as many jobs at once as the profile says",
    why: "Further workflows of the namespace stay pending until others end. Without the field there is no limit.",
    costs: {
      higher: "Somebody set the limit that is there: one namespace may then take more of the cluster from others.",
    },
    limit: "namespaceParallelism",
    path: ["namespaceParallelism"],
    judge: judgeParallelism,
  }),
];

interface Judged {
  readonly observed: number | undefined;
  readonly wanted: number;
}

interface LimitCheck extends Pick<Check, "id" | "title" | "why"> {
  /** Of the fix, by whether the profile's limit lies below or above the one that is there; none lies above all. */
  readonly costs: { readonly lower?: string; readonly higher: string };
  readonly limit: Limit;
  readonly path: readonly string[];
  readonly judge: (judged: Judged) => { readonly is: Verdict["is"]; readonly message: string };
}

function limitCheck({ id, title, why, costs, limit, path, judge }: LimitCheck): Check {
  return {
    id,
    title,
    why,
    severity: "recommended",
    features: ["jobs"],
    judge: (input) =>
      judgeConfigurations(input, (configuration) => {
        const wanted = input.profile.argoWorkflows[limit];
        const observed = configuration.fields.at(...path).number();
        const { is, message } = judge({ observed, wanted });
        if (is === "pass") return pass(message);
        const evidence = [evidenceOf({ configuration, path, observed, wanted })];
        const isLower = wanted < (observed ?? Number.POSITIVE_INFINITY);
        const risk = destructive((isLower ? costs.lower : undefined) ?? costs.higher);
        return (is === "fail" ? fail : warn)(message, evidence, changeField(configuration, path, wanted, risk));
      }),
  };
}

function judgeDuration({ observed, wanted }: Judged): ReturnType<LimitCheck["judge"]> {
  if (observed === wanted) return { is: "pass", message: `It is ${wanted} s.` };
  if (observed === undefined) return { is: "warn", message: `It has no end; the profile says ${wanted} s.` };
  return { is: observed < wanted ? "fail" : "warn", message: `It is ${observed} s; the profile says ${wanted} s.` };
}

function judgeParallelism({ observed, wanted }: Judged): ReturnType<LimitCheck["judge"]> {
  if (observed === undefined) return { is: "pass", message: "There is no limit." };
  // Zero and less stand for no limit, too.
  if (observed <= 0 || observed >= wanted) return { is: "pass", message: `The limit is ${observed}.` };
  return { is: "fail", message: `The limit is ${observed}; the profile asks for ${wanted}.` };
}

function evidenceOf(
  options: Judged & { readonly configuration: Configuration; readonly path: readonly string[] },
): Evidence {
  const { configuration, path, observed, wanted } = options;
  const [field, ...rest] = path;
  const within =
    configuration.layout === "document" ? `data.config: ${path.join(".")}` : [`data.${field}`, ...rest].join(": ");
  return { object: configuration.map, path: within, observed: String(observed ?? "nothing"), expected: String(wanted) };
}
