// The way of commands' programs to the API server. They get no credentials: a server on loopback, in which each run has
// a path that only its programs know, sends their requests on with the rights of the command, under the policy of this
// cluster, and only while the claim holds. When the agent dies the door is gone, and nothing that was left running
// changes anything any more.

import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { nodeHttp } from "@fairlead/protocol";
import { boundStrangers, type Strangers } from "../bound-strangers.ts";
import { answerRefusal } from "./answer-refusal.ts";
import { doorErrors } from "./errors.ts";
import { passRequest } from "./pass-request.ts";
import { createSecretSight, type SecretRules } from "./secret-sight.ts";
import type { DoorRun } from "./types.ts";

export interface Door extends AsyncDisposable {
  /** On loopback; programs need no other way in. */
  readonly port: number;
  admit(options: AdmittedRun): ApiDoor;
}

export interface AdmittedRun extends Pick<DoorRun, "kube" | "userAgent"> {
  /** The path is no secret of anybody's, and nobody else's business. */
  readonly conceal: (value: string) => void;
  /** `apply` without it. */
  readonly phase?: DoorRun["phase"] | undefined;
  readonly secrets?: SecretRules | undefined;
  readonly ownNamespace?: string | undefined;
  readonly keeps?: DoorRun["keeps"] | undefined;
  readonly mayPass?: DoorRun["mayPass"] | undefined;
}

export interface ApiDoor extends AsyncDisposable {
  /** Where the API server seems to be. */
  readonly url: string;
  /** The port on loopback where the door listens. */
  readonly port: number;
  /** A kubeconfig for it, as JSON. */
  readonly kubeconfig: (namespace: string) => string;
}

export async function openDoor(
  options: { readonly requestsOfRun?: number; readonly strangers?: number } = {},
): Promise<Door> {
  const { requestsOfRun = 256, strangers: mostStrangers = 512 } = options;
  const runs = new Map<string, Admitted>();
  const server = nodeHttp.createServer({ keepAliveTimeout: 60_000 });
  const strangers = boundStrangers(server, mostStrangers);
  server.on("request", (request, response) => serve({ runs, strangers, requestsOfRun }, request, response));
  // Watches have no end, and an upgrade isn't offered.
  server.requestTimeout = 0;
  server.on("upgrade", (_request, socket) => socket.end("HTTP/1.1 501 Not Implemented\r\nConnection: close\r\n\r\n"));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: "127.0.0.1", port: 0 }, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    admit({ conceal, kube, userAgent, phase = "apply", secrets, ownNamespace, keeps = [], mayPass = never }) {
      const key = randomBytes(24).toString("hex");
      conceal(key);
      const sight = secrets && createSecretSight(secrets);
      const admitted = {
        run: { kube, userAgent, phase, secrets: sight, ownNamespace, keeps, mayPass },
        open: new Set<ServerResponse>(),
      };
      runs.set(key, admitted);
      const url = `http://127.0.0.1:${port}/${key}`;
      return {
        url,
        port,
        kubeconfig: (namespace) => describe(url, namespace),
        async [Symbol.asyncDispose]() {
          runs.delete(key);
          for (const response of admitted.open) response.destroy();
        },
      };
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

interface Admitted {
  readonly run: DoorRun;
  /** Answers under way, which end with the run. */
  readonly open: Set<ServerResponse>;
}

function serve(
  means: {
    readonly runs: ReadonlyMap<string, Admitted>;
    readonly strangers: Strangers;
    readonly requestsOfRun: number;
  },
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { runs, strangers, requestsOfRun } = means;
  const [, key = "", path] = /^\/([0-9a-f]{48})(\/.*)$/.exec(request.url ?? "") ?? [];
  const admitted = runs.get(key);
  if (admitted === undefined || path === undefined) return void response.writeHead(404).end();
  const { run, open } = admitted;
  if (open.size >= requestsOfRun) {
    answerRefusal(response, doorErrors.DOOR_TOO_MANY_REQUESTS({ limit: requestsOfRun }));
    return;
  }
  const { socket } = request;
  open.add(response);
  strangers.admit(socket);
  response.once("close", () => {
    open.delete(response);
    strangers.release(socket);
  });
  passRequest({ run, request, response, path }).catch((thrown: unknown) => answerRefusal(response, thrown));
}

function never(): boolean {
  return false;
}

function describe(server: string, namespace: string): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "this", cluster: { server } }],
    users: [{ name: "this", user: {} }],
    contexts: [{ name: "this", context: { cluster: "this", user: "this", namespace } }],
    "current-context": "this",
  });
}
