import { defineErrors, type Errors, type FairleadError } from "@fairlead/kernel";

const table = {
  CONFIG_LISTEN_IN_USE: {
    message: "{listen} is in use by another process",
    hint: "Stop the other process, or choose another address with --listen and --agent-listen.",
  },
  CONFIG_LISTEN_REFUSED: {
    message: "can't listen on {listen}: {reason}",
    hint: "See that the address belongs to this machine and that the port needs no more rights than the hub has.",
  },
  API_ROUTE_UNKNOWN: {
    httpStatus: 404,
    message: "There is nothing at this address.",
    hint: "The API is under /api/v1, clusters' own APIs under /k8s/clusters/NAME/.",
  },
  API_LISTENER_WRONG: { httpStatus: 421, message: "{detail}", hint: "{advice}" },
  API_REQUEST_INVALID: {
    message: "The request can't be read: {reason}",
    hint: "The API takes JSON of up to 1 MiB with `Content-Type: application/json`.",
  },
  CONFIG_CERTIFICATE_UNUSABLE: {
    message: "the certificate in {certFile} and the key in {keyFile} can't be used",
    hint: "Both must be readable PEM, and the key must be the certificate's.",
  },
} as const;

export const serverErrors: Errors<typeof table> = defineErrors(table);

export function listenFailed(listen: string, cause: unknown): FairleadError {
  const code = (cause as NodeJS.ErrnoException).code;
  if (code === "EADDRINUSE") return serverErrors.CONFIG_LISTEN_IN_USE({ listen, cause });
  return serverErrors.CONFIG_LISTEN_REFUSED({ listen, reason: code ?? "unknown reason", cause });
}

export function routeUnknown(): FairleadError {
  return serverErrors.API_ROUTE_UNKNOWN();
}

/** Somebody took one listener's address for the other's. */
export function listenerWrong(address: {
  readonly isFor: "people" | "agents";
  readonly otherUrl: string;
}): FairleadError {
  const { isFor, otherUrl } = address;
  const isForPeople = isFor === "people";
  return serverErrors.API_LISTENER_WRONG({
    detail: isForPeople
      ? `This address is for people and tools; agents dial ${otherUrl}.`
      : `This address is for agents; people and tools use ${otherUrl}.`,
    advice: isForPeople ? `Start the agent with --hub ${otherUrl}.` : `Sign in with \`fairlead login ${otherUrl}\`.`,
  });
}
