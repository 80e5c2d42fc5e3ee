import type { DataAge } from "@fairlead/contract";
import { formatSpan, type Output } from "../../output/index.ts";

/** How old what is shown of a cluster is; with a kind, what is shown of that. `sinceMs`: how long ago that was said. */
export function describeAge(output: Output, age: DataAge | undefined, kind?: string, sinceMs = 0): string {
  const { yellow } = output.colors;
  if (!age || age.troubles?.some((trouble) => trouble.kind === kind && trouble.state === "unavailable")) {
    return yellow("unknown");
  }
  const span = age.ageMs === undefined ? undefined : formatSpan(age.ageMs + sinceMs);
  if (age.state === "connected") return span ?? yellow("unknown");
  return yellow(span === undefined ? age.state : `${age.state} ${span}`);
}

/** What a reader must know about an answer over these clusters; nothing when all is well. */
export function describeTroubles(clusters: readonly DataAge[]): string[] {
  const away = clusters.filter(({ state, ageMs }) => state !== "connected" && ageMs !== undefined);
  const empty = clusters.filter(({ ageMs, troubles = [] }) => ageMs === undefined && troubles.length === 0);
  const incomplete = clusters.flatMap(({ cluster, troubles = [], ageMs }) =>
    troubles.flatMap(({ kind, state, code, message }) => {
      const why = message === undefined ? "" : `: ${message}${code === undefined ? "" : ` (${code})`}`;
      if (state === "unavailable") return [`Warning: ${kind} of ${cluster} are unknown${why}`];
      return ageMs === undefined ? [`Warning: ${kind} of ${cluster} aren't all here yet.`] : [];
    }),
  );
  return [
    ...shorten(
      away.map(
        ({ cluster, state, ageMs = 0 }) =>
          `Warning: ${cluster} is ${state}: what is shown of it is ${formatSpan(ageMs)} old.`,
      ),
    ),
    ...shorten(incomplete),
    ...(empty.length > 0 ? [`Warning: not reported by ${nameSome(empty)}.`] : []),
  ];
}

function shorten(lines: readonly string[]): string[] {
  if (lines.length <= maxLines) return [...lines];
  return [
    ...lines.slice(0, maxLines),
    `Warning: … and ${lines.length - maxLines} more like this; 'fairlead top clusters' shows all.`,
  ];
}

function nameSome(clusters: readonly DataAge[]): string {
  const names = clusters.map(({ cluster, state }) => (state === "connected" ? cluster : `${cluster} (${state})`));
  const more = names.length > maxLines ? ` and ${names.length - maxLines} more` : "";
  return names.slice(0, maxLines).join(", ") + more;
}

const maxLines = 5;
