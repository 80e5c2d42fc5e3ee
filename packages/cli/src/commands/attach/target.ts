// The cluster that is attached, as the person's own kubectl and helm reach it.
import { lastLine, type ProgramResult, type RunOptions, runProgram } from "../../programs/index.ts";
import { attachErrors } from "./errors.ts";

export interface Target {
  readonly context: string;
  readonly namespace: string;
  kubectl(args: readonly string[], options?: Partial<RunOptions>): Promise<ProgramResult>;
  helm(args: readonly string[], options?: Partial<RunOptions>): Promise<ProgramResult>;
}

export interface TargetPlace {
  readonly context: string;
  readonly namespace: string;
  /** kubectl's own choice unless given. */
  readonly kubeconfig?: string | undefined;
}

export function openTarget({ context, kubeconfig, namespace }: TargetPlace, signal: AbortSignal): Target {
  const file = kubeconfig === undefined ? [] : ["--kubeconfig", kubeconfig];
  return {
    context,
    namespace,
    kubectl: (args, options) => runProgram("kubectl", ["--context", context, ...file, ...args], { signal, ...options }),
    helm: (args, options) => runProgram("helm", [...args, "--kube-context", context, ...file], { signal, ...options }),
  };
}

/** Fails unless both programs are here and new enough. Says their versions. */
export async function checkPrograms({ kubectl, helm }: Target): Promise<{ kubectl: string; helm: string }> {
  const client = await kubectl(["version", "--client", "--output", "json"]);
  const version = (await helm(["version", "--template", "{{.Version}}"])).stdout.trim();
  const [, major = "0", minor = "0"] = /^v?(\d+)\.(\d+)/.exec(version) ?? [];
  // The first that can keep what an earlier run set, beside a new chart's defaults.
  if (Number(major) < 3 || (Number(major) === 3 && Number(minor) < 14))
    throw attachErrors.CLI_HELM_TOO_OLD({ version });
  return { kubectl: /"gitVersion": "([^"]+)"/.exec(client.stdout)?.[1] ?? "of an unknown version", helm: version };
}

export interface ClusterFacts {
  readonly version: string;
  /** Undefined where it may not be read. */
  readonly kubeSystemUid: string | undefined;
}

export async function readCluster({ context, kubectl }: Target): Promise<ClusterFacts> {
  const answer = await kubectl(["version", "--output", "json", "--request-timeout", "20s"]);
  if (/context .*does not exist|no context exists/.test(answer.stderr))
    throw attachErrors.CLI_CONTEXT_UNKNOWN({ context });
  if (answer.code !== 0) throw attachErrors.CLI_CLUSTER_UNREACHABLE({ context, why: lastLine(answer) });
  const { serverVersion } = JSON.parse(answer.stdout) as { serverVersion?: { gitVersion: string } };
  const path = ["--output", "jsonpath={.metadata.uid}"];
  const system = await kubectl(["get", "namespace", "kube-system", ...path, "--request-timeout", "20s"]);
  if (system.code !== 0 && !/forbidden/i.test(system.stderr))
    throw attachErrors.CLI_CLUSTER_UNREACHABLE({ context, why: lastLine(system) });
  return { version: serverVersion?.gitVersion ?? "", kubeSystemUid: system.stdout.trim() || undefined };
}
