import type { FeatureReport } from "@fairlead/doctor";
import type { Output } from "../../output/index.ts";
import { wrap } from "./lines.ts";

/** Those that don't work with the reason, the others in a line. */
export function formatFeatures(features: readonly FeatureReport[], output: Output): string {
  const available = features.filter(({ state }) => state === "available").map(({ feature }) => feature);
  const others = worstFirst.flatMap((state) => features.filter((each) => each.state === state));
  return [
    available.length === 0 ? "" : wrap(`Available: ${available.join(", ")}`, { indent: "  " }),
    ...others.map((each) => formatFeature(each, output)),
  ].join("");
}

function formatFeature({ feature, state, because }: FeatureReport, { colors }: Output): string {
  const shown = because.slice(0, mostReasons).map(({ message }) => message);
  const more = because.length > mostReasons ? [`And ${because.length - mostReasons} more.`] : [];
  const label = state.padEnd("available".length);
  const text = wrap([...shown, ...more].join(" "), {
    first: `${label}  ${feature.padEnd(nameWidth)}  `,
    indent: " ".repeat(label.length + 2 + nameWidth + 2),
  });
  return state === "blocked" ? text.replace(label, colors.red(label)) : text;
}

const worstFirst = ["blocked", "degraded", "unknown"] as const;
const mostReasons = 2;
/** The longest name of a feature. */
const nameWidth = "endpoint-authentication".length;
