// The policy that is in force. The file is looked at again and again rather than watched: a mounted ConfigMap is swapped
// by links, which file notifications miss.
import { readFile } from "node:fs/promises";
import { type Clock, type Repetition, repeat, systemClock } from "@fairlead/kernel";
import { parse } from "yaml";
import type { ZodError } from "zod";
import { chartHosts } from "./chart-hosts.ts";
import { policyErrors, policyUnreadable } from "./errors.ts";
import type { HostAndPort } from "./host-pattern.ts";
import { type JudgedRequest, judge } from "./judge.ts";
import { allowsKind, type JudgedCommand, judgeCommand, judgeServiceAccount } from "./judge-command.ts";
import { type HostVerdict, judgeHost } from "./judge-host.ts";
import { type CommandSource, judgeSource, listsChart } from "./judge-source.ts";
import { type CredentialRule, openPolicyRules, type Policy, policySchema } from "./schema.ts";
import { type TofuRules, tofuRules } from "./tofu-rules.ts";
import type { Verdict } from "./verdict.ts";

export interface PolicyKeeper extends Disposable {
  /** By which Argo CD of this cluster tracks resources, besides its annotation. */
  readonly trackingLabel: string | undefined;
  judge(request: JudgedRequest): Verdict;
  judgeCommand(request: JudgedCommand): Verdict;
  /** Whether commands may run with the rights of `NAMESPACE/NAME`, or, without one, of the agent. */
  judgeServiceAccount(account: string | undefined): Verdict;
  /** Whether a command may fetch this. */
  judgeSource(source: CommandSource): Verdict;
  /** Whether a list names the place from which a chart comes. */
  listsChart(place: string): boolean;
  /** Of the hosts that programs reach these alone are Helm's, as patterns; undefined: all of them. */
  chartHosts(): readonly string[] | undefined;
  /** Whether programs of commands may reach this host. */
  judgeHost(target: HostAndPort): HostVerdict;
  tofuRules(): TofuRules;
  /** To which hosts Secrets may go as credentials. */
  credentialRules(): readonly CredentialRule[];
  /** Whether this cluster runs commands of the kind. */
  allowsKind(kind: string): boolean;
  /** Called when another policy is in force, which may forbid what runs. */
  onChanged(listener: () => void): void;
}

export interface PolicyLog {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Rejects when the file isn't valid at the start; later an invalid one changes nothing and is told to the log. */
export async function openPolicy(options: {
  readonly path: string | undefined;
  readonly log: PolicyLog;
  readonly clock?: Clock;
  readonly intervalMs?: number;
}): Promise<PolicyKeeper> {
  const { path, log, clock = systemClock, intervalMs = 2_000 } = options;
  const listeners: (() => void)[] = [];
  let policy = openPolicyRules;
  let looking: Repetition | undefined;
  if (path !== undefined) {
    let seen = await readPolicyFile(path);
    let isTold = false;
    policy = parsePolicy(path, seen);
    log.info({ path, policy }, "policy is in force");
    const look = async (): Promise<void> => {
      const text = await readPolicyFile(path);
      if (text !== seen) {
        seen = text;
        policy = parsePolicy(path, text);
        log.info({ path, policy }, "another policy is in force");
        for (const listener of listeners) listener();
      }
      isTold = false;
    };
    const onError = (error: unknown): void => {
      // Once, not every two seconds.
      if (!isTold) log.error({ err: error, path }, "the policy file isn't valid; the one before stays in force");
      isTold = true;
    };
    looking = repeat({ clock, intervalMs, run: look, onError });
  }
  return {
    get trackingLabel() {
      return policy.argo?.trackingLabel;
    },
    judge: (request) => judge(policy, request),
    judgeCommand: (request) => judgeCommand(policy, request),
    judgeServiceAccount: (account) => judgeServiceAccount(policy, account),
    judgeSource: (source) => judgeSource(policy, source),
    listsChart: (place) => listsChart(policy, place),
    chartHosts: () => chartHosts(policy),
    judgeHost: (target) => judgeHost(policy, target),
    tofuRules: () => tofuRules(policy),
    credentialRules: () => policy.execute?.credentials ?? [],
    allowsKind: (kind) => allowsKind(policy, kind),
    onChanged: (listener) => void listeners.push(listener),
    [Symbol.dispose]: () => looking?.[Symbol.dispose](),
  };
}

async function readPolicyFile(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw policyUnreadable(path, error);
  }
}

function parsePolicy(path: string, text: string): Policy {
  let value: unknown;
  try {
    value = parse(text, { logLevel: "error" });
  } catch (error) {
    throw policyErrors.POLICY_FILE_INVALID({ path, detail: "it isn't YAML", cause: error });
  }
  // Half of a file that is being written must not open everything.
  if (value === null || value === undefined)
    throw policyErrors.POLICY_FILE_INVALID({ path, detail: "it is empty; `{}` is a policy without rules" });
  const result = policySchema.safeParse(value);
  if (result.success) return result.data;
  throw policyErrors.POLICY_FILE_INVALID({ path, detail: describe(result.error), cause: result.error });
}

function describe(error: ZodError): string {
  const [issue] = error.issues;
  if (issue === undefined) return "its form";
  const where = issue.path.join(".");
  if (issue.code === "unrecognized_keys") return `${where && `${where}: `}${issue.keys.join(", ")} isn't a rule`;
  return `${where || "it"} ${issue.message}`;
}
