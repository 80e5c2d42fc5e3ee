import { createHash } from "node:crypto";
import type { NewCommand } from "./new-command.ts";

/** A key with the digest of all that was asked for under it, so that another request is told from the same one. */
export interface Idempotency {
  readonly key: string;
  readonly digest: string;
}

export function toIdempotency(key: string | undefined, asked: object): Idempotency | undefined {
  return key === undefined ? undefined : { key, digest: digestOfAsked(asked) };
}

/** The digest of all that was asked for. It leaves out what a template made of that, which may have changed since. */
export function digestOfCommand(command: NewCommand): string {
  // What rights made of the request may have changed since, too.
  const { requester: _, idempotencyKey: _key, part: _part, proposal: _proposal, ...asked } = command;
  const { template, cluster, dryRun } = asked;
  if (!template) return digestOfAsked(asked);
  return digestOfAsked({ cluster, dryRun, template: template.name, parameters: template.parameters });
}

/** The order of members doesn't count. */
function digestOfAsked(asked: object): string {
  const text = JSON.stringify(Object.entries(asked).toSorted());
  return createHash("sha256").update(text).digest("hex");
}
