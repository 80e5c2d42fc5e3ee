import { isFairleadError } from "@fairlead/kernel";
import {
  type EnrollResponse,
  enrollPath,
  formatEnrollRequest,
  nodeHttp,
  parseEnrollResponse,
} from "@fairlead/protocol";
import { describeCertificate } from "@fairlead/protocol/x509";
import {
  caMismatch,
  connectHub,
  explainDialError,
  findHubCa,
  type Route,
  readRefusal,
  readText,
} from "../dial/index.ts";
import { answerForeign, enrollAnswerInvalid } from "./errors.ts";

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

/**
 * Exchanges a join token for a certificate. The token leaves only over TLS verified against the token's own CA; or,
 * where something on the way ends TLS, against the CA file that the operator named for that. In both cases the answer
 * must bring the CA that the token names.
 */
export async function enroll(options: EnrollOptions): Promise<EnrollAnswer> {
  const { route, caFingerprint: fingerprint, signal, timeoutMs = 30_000 } = options;
  const ca = await findHubCa({ route, fingerprint, signal });
  if (ca === undefined && route.caFile === undefined) throw caMismatch(route.hub);
  const text = await post({ ...options, ca, timeoutMs });
  const answer = readAnswer(text);
  if (!answer) throw enrollAnswerInvalid(route.hub);
  if (describeCertificate(answer.caPem).fingerprint !== fingerprint) throw answerForeign(route.hub);
  return answer;
}

async function post(options: EnrollOptions & { ca: string | undefined; timeoutMs: number }): Promise<string> {
  const { route, ca, signal, timeoutMs } = options;
  const { hub } = route;
  const { token, csrDer, roles, agentVersion } = options;
  const body = JSON.stringify(formatEnrollRequest({ token, csrDer, roles: [...roles], agentVersion }));
  const socket = await connectHub({ route, tls: { ca }, signal });
  const deadline = AbortSignal.timeout(timeoutMs);
  return new Promise((resolve, reject) => {
    const outgoing = nodeHttp.request({
      createConnection: () => socket,
      method: "POST",
      path: `${hub.pathname.replace(/\/+$/, "")}${enrollPath}`,
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

function readAnswer(text: string): EnrollResponse | undefined {
  try {
    const answer = parseEnrollResponse(JSON.parse(text));
    const { cluster, certificateChainPem, caPem } = answer;
    const isWhole = cluster !== "" && [certificateChainPem, caPem].every((pem) => pem.includes("BEGIN CERTIFICATE"));
    return isWhole ? answer : undefined;
  } catch {
    return undefined;
  }
}
