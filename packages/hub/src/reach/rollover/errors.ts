import { defineErrors, type Errors, type FairleadError } from "@fairlead/kernel";

const table = {
  CA_STILL_NEEDED: {
    httpStatus: 409,
    message: "{count} of the old certificate authority: {clusters}.",
    hint: "Wait until these agents renew or their certificates expire; `fairlead ca status` lists them. With --force they must enroll again.",
    meaning:
      "Agents still use certificates of the old authority, so it can't be retired. The message says how many agents, and in which clusters.",
  },
  CA_REQUEST_INVALID: {
    httpStatus: 400,
    message: "The request is invalid: {problems}.",
    meaning: "The body of a request under `/api/v1/ca` is invalid.",
    remedy: "Compare the request with the API's description.",
  },
} as const;

export const rolloverErrors: Errors<typeof table> = defineErrors(table);

export function caStillNeeded(clusters: readonly string[]): FairleadError {
  const names = [...new Set(clusters)].sort();
  const rest = names.length - shownNames;
  const count = clusters.length === 1 ? "An agent uses a certificate" : `${clusters.length} agents use certificates`;
  const shown = names.slice(0, shownNames).join(", ");
  return rolloverErrors.CA_STILL_NEEDED({ count, clusters: rest > 0 ? `${shown} and ${rest} more clusters` : shown });
}

const shownNames = 20;
