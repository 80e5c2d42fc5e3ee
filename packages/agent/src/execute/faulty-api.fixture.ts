// Between a client and the real API server: answers in its place where a test wants it to.
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { request as send } from "node:https";
import type { AddressInfo } from "node:net";
import { createKubeClient, type KubeClient } from "@fairlead/kube";

export interface FaultyApi extends AsyncDisposable {
  readonly kube: KubeClient;
  /** Asked for each request; what it gives is the answer, and without that the real one is. */
  fault: (request: IncomingMessage) => Fault | undefined;
}

export type Fault =
  | { readonly is: "answer"; readonly code: number; readonly message: string; readonly retryAfterSeconds?: number }
  | { readonly is: "slow"; readonly delayMs: number }
  /** The answer breaks off after that time. */
  | { readonly is: "cut"; readonly afterMs: number };

export async function openFaultyApi(real: KubeClient): Promise<FaultyApi> {
  const { server: target, ca, cert, key } = real.access;
  const server = createServer((incoming, outgoing) => {
    const fault = incoming.url === "/livez/ping" ? undefined : faulty.fault(incoming);
    if (fault?.is === "answer") {
      incoming.resume();
      const { code, message, retryAfterSeconds } = fault;
      const wait = retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) };
      outgoing.writeHead(code, { "content-type": "application/json", ...wait });
      return void outgoing.end(
        JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", message, reason: reasons[code], code }),
      );
    }
    const pass = (): void => {
      const { method, headers } = incoming;
      const onward = send(new URL(incoming.url ?? "", target), { method, headers, ca, cert, key }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        outgoing.flushHeaders();
        answer.pipe(outgoing);
      });
      onward.on("error", () => outgoing.destroy());
      outgoing.on("close", () => onward.destroy());
      incoming.pipe(onward);
      if (fault?.is === "cut") setTimeout(() => outgoing.destroy(), fault.afterMs);
    };
    if (fault?.is === "slow") setTimeout(pass, fault.delayMs);
    else pass();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const kube = createKubeClient({
    access: {
      server: new URL(`http://127.0.0.1:${port}`),
      insecureSkipTlsVerify: false,
      authorization: () => undefined,
      namespace: "default",
    },
  });
  const faulty: FaultyApi = {
    kube,
    fault: () => undefined,
    async [Symbol.asyncDispose]() {
      await kube[Symbol.asyncDispose]();
      server.closeAllConnections();
      server.close();
    },
  };
  return faulty;
}

/** As API servers name them. */
const reasons: Readonly<Record<number, string>> = {
  401: "Unauthorized",
  403: "Forbidden",
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable",
};
