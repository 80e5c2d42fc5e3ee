import { defineErrors, type Errors, type FairleadError } from "@fairlead/kernel";

const table = {
  CONFIG_LISTEN_IN_USE: {
    message: "{listen} is in use by another process",
    hint: "Stop the other process, or choose another address with --listen, --agent-listen or --metrics-listen.",
    meaning: "Another process listens on the address that the hub wants.",
  },
  CONFIG_LISTEN_REFUSED: {
    message: "can't listen on {listen}: {reason}",
    hint: "See that the address belongs to this machine and that the port needs no more rights than the hub has.",
    meaning:
      "The system doesn't let the hub listen on the address: not this machine's, or a port that needs more rights.",
    remedy: "Choose an address of this machine and a port above 1023.",
  },
  API_ROUTE_UNKNOWN: {
    httpStatus: 404,
    message: "There is nothing at this address.",
    hint: "{advice}",
    meaning: "Nothing is served at this path of the hub.",
    remedy:
      "The API is under `/api/v1`, clusters' own APIs are under `/k8s/clusters/NAME/`. Start `kubectl proxy` with `--append-server-path`, or use `fairlead kubeconfig --host-per-cluster`.",
  },
  API_LISTENER_WRONG: {
    httpStatus: 421,
    message: "{detail}",
    hint: "{advice}",
    meaning:
      "The request is for the hub's other listener: an agent dialled the address of people and tools, or the other way round. The message names the right one.",
    remedy:
      "Start the agent with `--hub` and the address of agents (8444), and sign in at the address of people (8443). The agent says it once and asks again about every minute.",
  },
  API_REQUEST_INVALID: {
    message: "The request can't be read: {reason}",
    hint: "The API takes JSON of up to 1 MiB with `Content-Type: application/json`.",
    meaning: "A request to the hub's API isn't readable: broken JSON, a wrong content type, or too large.",
  },
  API_HEADERS_TOO_LARGE: {
    httpStatus: 431,
    message: "the request's headers are larger than {limitKiB} KiB",
    hint: "Send fewer or shorter headers.",
    meaning:
      "Request line and headers are larger than a listener takes: 1 MiB for requests to clusters, 128 KiB for the hub's own API, 8 KiB on the agents' listener; or they have more than 8,000 lines.",
  },
  API_HEADERS_TOO_MANY: {
    httpStatus: 429,
    retryable: true,
    message: "requests with large headers that aren't whole yet take too much memory",
    hint: "Try again in a moment, with fewer such requests at once.",
    meaning: "Requests with large headers from this address, or from all, take too much memory before they are whole.",
  },
  CONFIG_CERTIFICATE_UNUSABLE: {
    message: "the certificate in {certFile} and the key in {keyFile} can't be used",
    hint: "Both must be readable PEM, and the key must be the certificate's.",
    meaning: "The files of `--tls-cert-file` and `--tls-key-file` can't be read or don't belong together.",
    remedy:
      "Both must be readable PEM, and the key must be the certificate's. While the hub runs, the old pair stays in use.",
  },
} as const;

export const serverErrors: Errors<typeof table> = defineErrors(table);

export function listenFailed(listen: string, cause: unknown): FairleadError {
  const code = (cause as NodeJS.ErrnoException).code;
  if (code === "EADDRINUSE") return serverErrors.CONFIG_LISTEN_IN_USE({ listen, cause });
  return serverErrors.CONFIG_LISTEN_REFUSED({ listen, reason: code ?? "unknown reason", cause });
}

/** Some clients, such as `kubectl proxy`, drop the path of a server's address and ask the hub itself for clusters' objects. */
export function routeUnknown(url = ""): FairleadError {
  return serverErrors.API_ROUTE_UNKNOWN({ advice: isOfKubernetes(url) ? pathDropped : whereTheApiIs });
}

function isOfKubernetes(url: string): boolean {
  return /^\/(?:apis|version|openapi|api\/?(?:$|\?)|api\/v1\/(?:namespaces|nodes|pods|services|events|componentstatuses|persistentvolumes))/.test(
    url,
  );
}

const whereTheApiIs = "The API is under /api/v1, clusters' own APIs are under /k8s/clusters/NAME/.";
const pathDropped =
  "This is a path of a cluster's API, which is under /k8s/clusters/NAME. Start `kubectl proxy` with `--append-server-path`, or make the context with `fairlead kubeconfig --host-per-cluster`.";

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
