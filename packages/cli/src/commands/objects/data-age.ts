import type { DataAge, MissingKind } from "@fairlead/contract";
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

/** Beside the answer, what its reader must know about it; nothing when all is well. */
export function tellTroubles(output: Output, clusters: readonly DataAge[]): void {
  for (const warning of describeMissing(clusters)) output.notice(output.safe(warning));
  for (const warning of describeTroubles(clusters)) output.remark(output.safe(warning));
}

/** How the clusters of an answer are that aren't well. */
export function describeTroubles(clusters: readonly DataAge[]): string[] {
  const away = clusters.filter(({ state, ageMs }) => state !== "connected" && ageMs !== undefined);
  const empty = clusters.filter(
    ({ ageMs, troubles = [], missing = [] }) => ageMs === undefined && troubles.length + missing.length === 0,
  );
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
    ...(empty.length > 0
      ? [
          `Warning: nothing of ${nameSome(empty)} is in the answer: no agent with the role observe has reported its objects.`,
        ]
      : []),
  ];
}

/**
 * Names the kinds and clusters that an answer says nothing about, although it was asked: nobody should take that for
 * "there is none".
 */
export function describeMissing(clusters: readonly DataAge[]): string[] {
  const missing = clusters.flatMap(({ cluster, missing = [] }) => missing.map((one) => ({ cluster, ...one })));
  return shorten(missing.map((one) => `Warning: ${sayMissing(one)}`));
}

function sayMissing({ cluster, kind, reason }: MissingKind & { readonly cluster: string }): string {
  switch (reason) {
    case "forbidden":
      return `you may not list ${kind} in ${cluster}: they aren't in the answer.`;
    case "not-observed":
      return `the hub has no copy of ${kind} of ${cluster}: they aren't in the answer.`;
    default:
      return reason satisfies never;
  }
}

function shorten(lines: readonly string[]): string[] {
  if (lines.length <= maxLines) return [...lines];
  return [
    ...lines.slice(0, maxLines),
    `Warning: … and ${lines.length - maxLines} more like this; 'fairlead top cluster' shows all.`,
  ];
}

function nameSome(clusters: readonly DataAge[]): string {
  const names = clusters.map(({ cluster, state }) => (state === "connected" ? cluster : `${cluster} (${state})`));
  const more = names.length > maxLines ? ` and ${names.length - maxLines} more` : "";
  return names.slice(0, maxLines).join(", ") + more;
}

const maxLines = 5;
