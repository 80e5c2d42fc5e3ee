// Profiles that people write. A mistake is named with its line and column, and with what is expected there.
import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument } from "yaml";
import { builtInProfiles, findBuiltInProfile } from "./built-in.ts";
import { profileErrors } from "./errors.ts";
import { explainIssue, oneOf } from "./explain-issue.ts";
import { extendProfile } from "./extend-profile.ts";
import type { Profile } from "./profile.ts";
import { profileSchema } from "./profile-schema.ts";

const sizeLimitChars = 64 * 1024;

/** @throws {FairleadError} `DOCTOR_PROFILE_INVALID` */
export function parseProfile(text: string, fileName: string): Profile {
  const lines = new LineCounter();
  const failAt = (offset: number, mistake: string): Error => {
    const { line, col } = lines.linePos(offset);
    // Before anything was read, the counter says 0.
    const [row, column] = [Math.max(line, 1), Math.max(col, 1)];
    return profileErrors.DOCTOR_PROFILE_INVALID({ file: fileName, line: row, column, mistake });
  };

  if (text.length > sizeLimitChars) throw failAt(0, `a profile has at most ${sizeLimitChars} characters`);
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [broken] = document.errors;
  if (broken) throw failAt(broken.pos[0], broken.message);
  if (!isMap(document.contents)) throw failAt(0, "expected a map with the fields of a profile");

  const { extends: base, ...own } = readContents(document, failAt);
  const extended = typeof base === "string" ? findBuiltInProfile(base) : undefined;
  if (base !== undefined && !extended) {
    const names = builtInProfiles.map(({ name }) => name);
    throw failAt(offsetOf(document, ["extends"]), `extends: expected ${oneOf(names)}`);
  }
  const result = profileSchema.safeParse(extendProfile(extended, own));
  if (result.success) return result.data;
  const { path, mistake } = explainIssue(result.error.issues[0]);
  throw failAt(offsetOf(document, path), mistake);
}

/** The parser itself refuses anchors that would unfold into very much. */
function readContents(
  document: Document.Parsed,
  failAt: (offset: number, mistake: string) => Error,
): Record<string, unknown> {
  try {
    return document.toJS({ maxAliasCount: 100 }) as Record<string, unknown>;
  } catch {
    throw failAt(0, "it refers to an anchor too often, or to one that isn't there");
  }
}

/** Where the value begins; for a field of a map its name; for something that isn't there the closest thing around it. */
function offsetOf(document: Document.Parsed, path: readonly PropertyKey[]): number {
  for (let length = path.length; length > 0; length--) {
    const parent = length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true);
    const name = path[length - 1];
    const key = isMap(parent)
      ? parent.items.find((item) => isScalar(item.key) && item.key.value === name)?.key
      : undefined;
    const node = key ?? document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return document.contents?.range?.[0] ?? 0;
}
