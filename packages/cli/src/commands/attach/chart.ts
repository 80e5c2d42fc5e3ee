// The agent's chart: what it would make, and making it.
import { lastLine } from "../../programs/index.ts";
import { attachErrors } from "./errors.ts";
import { isMissingFolder } from "./options.ts";
import type { Target } from "./target.ts";

export const release = "fairlead-agent";
export const joinSecret = "fairlead-agent-join";

/** As much of what Helm renders as is looked at here. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly roleRef?: { readonly name: string };
}

export async function renderChart(
  { helm, namespace }: Target,
  { chart, values, version }: { readonly chart: string; readonly values: readonly string[]; readonly version: string },
): Promise<Manifest[]> {
  if (isMissingFolder(chart)) throw attachErrors.CLI_CHART_MISSING({ chart, why: "the file or folder doesn't exist." });
  const shown = await helm(["show", "chart", chart]);
  if (shown.code !== 0) throw attachErrors.CLI_CHART_MISSING({ chart, why: lastLine(shown) });
  const kubeVersion = version === "" ? [] : ["--kube-version", version];
  const rendered = await helm(["template", release, chart, "--namespace", namespace, ...kubeVersion, ...values]);
  if (rendered.code !== 0) throw attachErrors.CLI_CHART_REFUSED({ chart, why: lastLine(rendered) });
  // Loaded now only: no other command but a few needs it.
  const { parseAllDocuments } = await import("yaml");
  const documents = parseAllDocuments(rendered.stdout);
  if (!Array.isArray(documents)) return [];
  return documents.flatMap((document) => (document.toJS() as Manifest | null) ?? []);
}

/** Runs again as an upgrade; what an earlier run set and this one doesn't is kept. */
export function installArguments(options: {
  readonly chart: string;
  readonly namespace: string;
  readonly values: readonly string[];
}): string[] {
  const { chart, namespace, values } = options;
  return ["upgrade", "--install", release, chart, "--namespace", namespace, "--reset-then-reuse-values", ...values];
}

export async function installChart(
  { helm, namespace }: Target,
  { chart, values }: { readonly chart: string; readonly values: readonly string[] },
): Promise<void> {
  const installed = await helm(installArguments({ chart, namespace, values }), { timeoutMs: 180_000 });
  if (installed.code !== 0) throw attachErrors.CLI_CHART_NOT_INSTALLED({ why: lastLine(installed) });
}
