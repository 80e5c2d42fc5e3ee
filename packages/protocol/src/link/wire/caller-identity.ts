// The `identity` member of OPEN. Checked to the last string here, because the agent makes header lines of it.
import type { CallerIdentity } from "./head-types.ts";

/**
 * Peers that say the capability `large-heads` take most groups, those that say `many-groups` many, and others few. The
 * bound for heads holds besides.
 */
export const callerGroups = { few: 1_000, many: 6_000, most: 20_000 } as const;

export function parseIdentity(value: unknown): CallerIdentity | "malformed" {
  if (typeof value !== "object" || value === null) return "malformed";
  const { user, uid, groups, extra, actor, remoteAddress } = value as Record<string, unknown>;
  if (!isText(user) || !isTexts(groups, callerGroups.most)) return "malformed";
  if (!isOptionalText(uid) || !isOptionalText(actor) || !isOptionalText(remoteAddress)) return "malformed";
  if (extra !== undefined && !isExtra(extra)) return "malformed";
  return { user, uid, groups, extra, actor, remoteAddress };
}

function isExtra(value: unknown): value is Record<string, string[]> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const entries = Object.entries(value);
  return entries.length <= maxExtras && entries.every(([key, texts]) => isText(key) && isTexts(texts, maxTexts));
}

function isTexts(value: unknown, max: number): value is string[] {
  return Array.isArray(value) && value.length <= max && value.every(isText);
}

function isOptionalText(value: unknown): value is string | undefined {
  return value === undefined || isText(value);
}

/** The text isn't empty, has a sane length, and nothing that could end a header line. */
function isText(value: unknown): value is string {
  return typeof value === "string" && textPattern.test(value);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the control characters are what must not pass
const textPattern = /^[^\x00-\x1f\x7f]{1,1024}$/;
const maxTexts = 1_000;
const maxExtras = 64;
