// Makes the plan that people are shown, and the digest by which they approve it.
import { createHash, randomBytes } from "node:crypto";
import type { CommandEnvelope } from "@fairlead/protocol";
import type { KnownSecrets } from "../redact/index.ts";
import { executeErrors } from "./errors.ts";
import { digestOfAsked } from "./next-action.ts";
import { mostResultBytes, toResultJson } from "./outcome.ts";
import type { PlanDigests, RecordedPlan } from "./records/index.ts";
import type { PlanResult } from "./types.ts";

/** Throws COMMAND_PLAN_TOO_LARGE. */
export function makePlan(options: {
  readonly envelope: CommandEnvelope;
  readonly result: PlanResult;
  readonly state: unknown;
  readonly secrets: KnownSecrets;
  readonly keptUntilMs: number;
  /** The plan before, which is under way. */
  readonly approved?: PlanDigests | undefined;
}): RecordedPlan {
  const { envelope, result, state, secrets, keptUntilMs, approved } = options;
  const json = toResultJson(secrets, result.json);
  if (json === undefined) throw executeErrors.COMMAND_PLAN_TOO_LARGE({ limitBytes: mostResultBytes });
  const shown = blind(envelope.id, result.digest);
  const digests = { own: result.digest, shown, asked: digestOfAsked(envelope) };
  return { is: "planned", digests, state, json, keptUntilMs, approved };
}

/** Makes a digest from which a short secret value can't be found, even by somebody who knows the rest of the plan. */
function blind(id: string, digest: string): string {
  return createHash("sha256")
    .update(randomBytes(32))
    .update(JSON.stringify([id, digest]))
    .digest("hex");
}
