import { request } from "node:http";
import { isFairleadError } from "@fairlead/kernel";
import { z } from "zod";
import { connectHub, explainDialError, findHubCa, type Route, readRefusal, readText } from "../dial/index.ts";
import { enrollAnswerInvalid } from "./errors.ts";

export interface EnrollOptions {
  readonly route: Route;
  /** The join token as it was given, and the CA fingerprint in it. */
  readonly token: string;
  readonly caFingerprint: string;
  readonly csrDer: Uint8Array;
  readonly roles: readonly string[];
  readonly agentVersion: string;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number;
}

export interface EnrollAnswer {
  readonly cluster: string;
  readonly roles: readonly string[];
  readonly certificateChainPem: string;
  readonly caPem: string;
}

/** Exchanges a join token for a certificate. The token leaves only over TLS verified against the token's own CA. */
export async function enroll(options: EnrollOptions): Promise<EnrollAnswer> {
  const { route, caFingerprint: fingerprint, signal, timeoutMs = 30_000 } = options;
  const ca = await findHubCa({ route, fingerprint, signal });
  const text = await post({ ...options, ca, timeoutMs });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw enrollAnswerInvalid(route.hub);
  }
  const result = answerSchema.safeParse(value);
  if (!result.success) throw enrollAnswerInvalid(route.hub);
  return result.data;
}

async function post(options: EnrollOptions & { ca: string; timeoutMs: number }): Promise<string> {
  const { route, ca, signal, timeoutMs } = options;
  const { hub } = route;
  const body = JSON.stringify({
    token: options.token,
    csrDer: Buffer.from(options.csrDer).toString("base64"),
    roles: options.roles,
    agentVersion: options.agentVersion,
  });
  const socket = await connectHub({ route, tls: { ca }, signal });
  const deadline = AbortSignal.timeout(timeoutMs);
  return new Promise((resolve, reject) => {
    const outgoing = request({
      createConnection: () => socket,
      method: "POST",
      path: `${hub.pathname.replace(/\/+$/, "")}/agent/v1/enroll`,
      headers: {
        host: hub.host,
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
        accept: "application/json",
      },
      signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
    });
    outgoing.once("response", (response) => {
      const done = response.statusCode === 200 || response.statusCode === 201;
      const text = done ? readText(response).then(resolve) : readRefusal(response, hub).then(fail);
      text.catch(fail).finally(() => socket.destroy());
    });
    outgoing.on("error", fail);
    outgoing.end(body);

    function fail(error: unknown): void {
      if (signal?.aborted) reject(signal.reason);
      else reject(isFairleadError(error) ? error : explainDialError(hub, error));
    }
  });
}

// proto-JSON of EnrollResponse; unknown members are for newer agents.
const answerSchema = z.object({
  cluster: z.string().min(1),
  roles: z.array(z.string()).default([]),
  certificateChainPem: z.string().includes("BEGIN CERTIFICATE"),
  caPem: z.string().includes("BEGIN CERTIFICATE"),
});
