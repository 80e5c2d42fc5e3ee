import type { FairleadError } from "@fairlead/kernel";
import { helmErrors } from "../errors.ts";
import type { FetchedSource } from "../types.ts";
import { nameChart } from "./name-chart.ts";

/** Helm's words about a chart that it can't fetch may repeat a server's answer, so only the kind of failure is told. */
export function explainFetch(options: {
  readonly source: FetchedSource;
  readonly said: string;
  readonly exitCode: number;
}): FairleadError {
  const { source, said, exitCode } = options;
  const chart = nameChart(source);
  const host = source.type === "oci" ? (source.path.split("/")[0] ?? "") : new URL(source.url).host;
  const found = kinds.find(({ pattern }) => pattern.test(said));
  switch (found?.kind) {
    case "digest":
      return helmErrors.HELM_CHART_DIGEST_MISMATCH({
        chart,
        found: /sha256:[0-9a-f]{64}/.exec(said)?.[0] ?? "another",
      });
    case "unauthorized":
      return helmErrors.HELM_CHART_UNAUTHORIZED({ chart, host });
    case "missing":
      return helmErrors.HELM_CHART_NOT_FOUND({ chart });
    case "unreachable":
      return helmErrors.HELM_CHART_UNREACHABLE({ chart, host, reason: found.reason });
    case undefined:
      return helmErrors.HELM_FAILED({ exitCode, reason: "it couldn't fetch the chart" });
  }
}

type Kind =
  | { readonly kind: "digest" | "unauthorized" | "missing"; readonly pattern: RegExp }
  | { readonly kind: "unreachable"; readonly pattern: RegExp; readonly reason: string };

/** The first that fits counts. */
const kinds: readonly Kind[] = [
  { kind: "digest", pattern: /mismatch(?:ed)? digest|digest mismatch|does not match the digest/i },
  {
    kind: "unauthorized",
    pattern: /\b40[13]\b|unauthori[sz]ed|basic credential not found|authentication required|access denied/i,
  },
  { kind: "unreachable", pattern: /x509:|certificate/i, reason: "its certificate isn't trusted" },
  { kind: "unreachable", pattern: /HTTP response to HTTPS client/, reason: "it speaks HTTP without TLS" },
  // The fence has no way to another port of this machine, whoever names it.
  {
    kind: "unreachable",
    pattern: /connect: (?:permission denied|operation not permitted)/,
    reason: "it leads to a service on the agent's own machine that the command doesn't name",
  },
  {
    kind: "unreachable",
    pattern: /could not find protocol handler|unsupported protocol scheme|scheme ".*" not supported/,
    reason: "it leads to an address that isn't http or https",
  },
  { kind: "unreachable", pattern: /no such host/, reason: "its name can't be resolved" },
  { kind: "unreachable", pattern: /connection refused/, reason: "it refuses connections" },
  { kind: "unreachable", pattern: /timeout|deadline exceeded|connection reset|\bEOF\b/i, reason: "it doesn't answer" },
  { kind: "missing", pattern: /not found|no chart (?:name|version) found|\b404\b/i },
  { kind: "unreachable", pattern: /\b5\d\d\b/, reason: "it fails" },
];
