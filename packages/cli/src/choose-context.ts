// Which sign-in, and which context of a kubeconfig. `--context` names the sign-in; beside a kubeconfig it named the
// kubeconfig's context once, and still does where nothing else says which that is.
import type { Command } from "./command.ts";
import type { Environment } from "./config/index.ts";

/** The name of the sign-in to use; undefined for the last one. */
export function chooseContext(
  command: Command,
  environment: Pick<Environment, "context" | "formerContext">,
): string | undefined {
  const { context, profile } = command.optsWithGlobals<ContextOptions>();
  if (context !== undefined && !isKubeContext(command)) return context;
  if (profile !== undefined && !isFitnessProfile(command)) {
    command.warn("'--profile' is now '--context'.");
    return profile;
  }
  if (environment.context === undefined && environment.formerContext !== undefined)
    command.warn("'FAIRLEAD_PROFILE' is now 'FAIRLEAD_CONTEXT'.");
  return environment.context ?? environment.formerContext;
}

/** The context of the kubeconfig, for commands that have `--kube-context`. */
export function chooseKubeContext(command: Command): string | undefined {
  const { context, kubeContext } = command.optsWithGlobals<ContextOptions>();
  if (context === undefined || !isKubeContext(command)) return kubeContext;
  command.warn("'--context' without '--kube-context' names kubectl's context here: it is now '--kube-context'.");
  return context;
}

interface ContextOptions {
  readonly context?: string;
  readonly kubeContext?: string;
  readonly profile?: string;
}

function isKubeContext(command: Command): boolean {
  if (!has(command, "--kube-context") || command.getOptionValue("kubeContext") !== undefined) return false;
  return !has(command, "--profile") || !asksHub(command);
}

/** `doctor` takes a profile for the cluster that it examines by itself. */
function isFitnessProfile(command: Command): boolean {
  return has(command, "--profile") && !asksHub(command);
}

function asksHub(command: Command): boolean {
  return ["cluster", "allClusters", "clusterSelector"].some((name) => command.getOptionValue(name) !== undefined);
}

function has(command: Command, flag: string): boolean {
  return command.options.some(({ long }) => long === flag);
}
