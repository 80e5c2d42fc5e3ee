// The documentation's pages of checks, in Markdown, made from the catalogue: nobody has to keep them in step by hand.
import type { CheckOwner, PagedCheck } from "./check-owners.ts";

/** By file name in `docs/checks`. */
export function formatCheckPages(owners: readonly CheckOwner[]): Map<string, string> {
  const pages = owners.flatMap((owner) =>
    owner.checks.map((check) => [`${check.id}.md`, formatCheckPage(owner, check)] as const),
  );
  return new Map([["README.md", formatCheckIndex(owners)], ...pages]);
}

function formatCheckPage(owner: CheckOwner, { id, title, why, severity, features }: PagedCheck): string {
  const consequence = severity === "recommended" ? "degrades" : "blocks";
  const rows = [
    ["Belongs to", owner.title],
    ["Severity", severity],
    [`Where it fails, it ${consequence}`, features.length === 0 ? "no feature by itself" : features.join(", ")],
  ];
  return [
    `# ${id}`,
    `**${title}.**`,
    ["| | |", "|---|---|", ...rows.map((cells) => `| ${cells.map(inCell).join(" | ")} |`)].join("\n"),
    ...(why === "" ? [] : [why.trim()]),
    "## Seeing it, and putting it right",
    `\`\`\`console\n$ fairlead doctor --only ${id}\n$ fairlead doctor --only ${id} --fix\n\`\`\``,
    "The first says what was seen and what should be, object by object. The second prints what would make it pass. " +
      "[The guide](../guides/doctor.md) says how to read both, and [the list](README.md) has all checks.",
  ]
    .map((part) => `${part}\n`)
    .join("\n");
}

function formatCheckIndex(owners: readonly CheckOwner[]): string {
  const withChecks = owners.filter(({ checks }) => checks.length > 0);
  const count = withChecks.reduce((sum, { checks }) => sum + checks.length, 0);
  return [
    "# Checks",
    `\`fairlead doctor\` asks these ${count} questions of a cluster ([the guide](../guides/doctor.md)). ` +
      "This list and its pages are made from the catalogue by `npm run docs:checks`.",
    ...withChecks.map(formatOwner),
  ]
    .map((part) => `${part}\n`)
    .join("\n");
}

function formatOwner({ title, checks }: CheckOwner): string {
  const rows = checks.map(({ id, title: holds, severity }) => `| [${id}](${id}.md) | ${severity} | ${inCell(holds)} |`);
  return [`## ${title}`, "", "| Check | Severity | Passes when |", "|---|---|---|", ...rows].join("\n");
}

function inCell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}
