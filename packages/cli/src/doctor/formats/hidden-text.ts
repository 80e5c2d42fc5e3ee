import type { Examination } from "./examination.ts";
import { formatRights } from "./fixes.ts";
import { wrap } from "./lines.ts";

/** Says which resources couldn't be read, why, and which rights would show them. */
export function formatHidden({ report: { hidden }, rightsMissing }: Examination): string {
  const byReason = Map.groupBy(hidden, ({ why }) => why);
  const reasons = [...byReason].map(([why, items]) =>
    wrap(`${items.map(({ resource }) => resource).join(", ")}: ${why}.`, { first: "  ", indent: "    " }),
  );
  return [
    reasons.length === 0 ? "" : `Could not be read:\n${reasons.join("")}`,
    rightsMissing.length === 0 ? "" : formatRights(rightsMissing),
  ]
    .filter((part) => part !== "")
    .join("\n");
}
