// An agent's side of the hub's API, without an agent: one proves what it is told.

import { linkPath, linkSocketOptions, linkSubprotocol } from "@fairlead/protocol";
import { createCsr } from "@fairlead/protocol/x509";
import { WebSocket } from "ws";
import { requestHub } from "../../fleet/request-hub.ts";
import type { HubAddress } from "../hub-address.ts";

export interface AgentKey {
  readonly keyPem: string;
  readonly csrDer: Uint8Array;
}

export function createAgentKey(): Promise<AgentKey> {
  return createCsr();
}

/** The certificate, or the code of the refusal. */
export async function enroll(
  hub: HubAddress,
  { token, key }: { readonly token: string; readonly key: AgentKey },
): Promise<{ readonly certificatePem: string } | { readonly code: string }> {
  const answer = await requestHub({ ...hub, port: hub.agentPort }, "/agent/v1/enroll", {
    method: "POST",
    body: JSON.stringify({
      token,
      csrDer: Buffer.from(key.csrDer).toString("base64"),
      roles: ["proxy"],
      agentVersion: "0.1.0",
    }),
    authorization: undefined,
  });
  const { certificateChainPem, code } = answer.json() as { certificateChainPem?: string; code?: string };
  return certificateChainPem === undefined
    ? { code: code ?? String(answer.status) }
    : { certificatePem: certificateChainPem };
}

/** `open`, or the code of the refusal. */
export function askForLink(hub: HubAddress, cert: string, { keyPem: key }: AgentKey): Promise<string> {
  const url = `wss://127.0.0.1:${hub.agentPort}${linkPath}`;
  const socket = new WebSocket(url, linkSubprotocol, { ...linkSocketOptions, ca: hub.caPem, cert, key });
  return new Promise<string>((resolve, reject) => {
    socket.once("open", () => resolve("open"));
    socket.once("unexpected-response", (_, answer) => resolve(answer.statusMessage ?? ""));
    socket.on("error", reject);
  }).finally(() => {
    // A socket that is cut off emits an error.
    socket.on("error", () => undefined);
    socket.terminate();
  });
}
