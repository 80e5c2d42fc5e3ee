import { FairleadError } from "@fairlead/kernel";

export function saltStoreFailed(place: string, cause: unknown): FairleadError {
  return new FairleadError({
    code: "OBSERVE_SALT_FAILED",
    message: `The salt of the projection can't be kept in ${place}.`,
    hint: "Nothing is observed without it. The agent needs to read and update its identity's Secret or folder.",
    retryable: true,
    cause,
  });
}

export function notSynced(message: string): FairleadError {
  return new FairleadError({
    code: "OBSERVE_NOT_SYNCED",
    message,
    hint: "It passes by itself; the agent's log says what is in the way when it doesn't.",
    retryable: true,
  });
}
