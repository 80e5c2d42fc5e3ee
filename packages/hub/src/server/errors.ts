import { FairleadError } from "@fairlead/kernel";

export function listenFailed(listen: string, cause: unknown): FairleadError {
  const code = (cause as NodeJS.ErrnoException).code;
  if (code === "EADDRINUSE") {
    return new FairleadError({
      code: "CONFIG_LISTEN_IN_USE",
      message: `${listen} is in use by another process`,
      hint: "Stop the other process, or choose another address with --listen and --agent-listen.",
      cause,
    });
  }
  return new FairleadError({
    code: "CONFIG_LISTEN_REFUSED",
    message: `can't listen on ${listen}: ${code ?? "unknown reason"}`,
    hint: "See that the address belongs to this machine and that the port needs no more rights than the hub has.",
    cause,
  });
}

export function routeUnknown(): FairleadError {
  return new FairleadError({
    code: "API_ROUTE_UNKNOWN",
    message: "There is nothing at this address.",
    hint: "The API is under /api/v1, clusters' own APIs under /k8s/clusters/NAME/.",
    httpStatus: 404,
  });
}

/** Somebody took one listener's address for the other's. */
export function listenerWrong(address: {
  readonly isFor: "people" | "agents";
  readonly otherUrl: string;
}): FairleadError {
  const { isFor, otherUrl } = address;
  const isForPeople = isFor === "people";
  return new FairleadError({
    code: "API_LISTENER_WRONG",
    message: isForPeople
      ? `This address is for people and tools; agents dial ${otherUrl}.`
      : `This address is for agents; people and tools use ${otherUrl}.`,
    hint: isForPeople ? `Start the agent with --hub ${otherUrl}.` : `Sign in with \`fairlead login ${otherUrl}\`.`,
    httpStatus: 421,
  });
}

export function requestInvalid(status: number, reason: string): FairleadError {
  return new FairleadError({
    code: "API_REQUEST_INVALID",
    message: `The request can't be read: ${reason}`,
    hint: "The API takes JSON of up to 1 MiB with `Content-Type: application/json`.",
    httpStatus: status,
  });
}

export function certificateUnusable(certFile: string, keyFile: string, cause: unknown): FairleadError {
  return new FairleadError({
    code: "CONFIG_CERTIFICATE_UNUSABLE",
    message: `the certificate in ${certFile} and the key in ${keyFile} can't be used`,
    hint: "Both must be readable PEM, and the key must be the certificate's.",
    cause,
  });
}
