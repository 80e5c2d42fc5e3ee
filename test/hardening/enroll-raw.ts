import { createCsr } from "@fairlead/protocol/x509";
import type { TestHub } from "@fairlead/testkit";
import { requestHub } from "../fleet/request-hub.ts";
import type { RawAgent } from "./raw-agent.ts";

/** Adds a cluster, and takes its join token as an agent would. */
export async function enrollRaw(hub: TestHub, name: string, roles: readonly string[]): Promise<RawAgent> {
  const added = await requestHub(hub, "/api/v1/clusters", { method: "POST", body: JSON.stringify({ name, roles }) });
  const { token } = (added.json() as { join: { token: string } }).join;
  const { keyPem: key, csrDer } = await createCsr();
  const body = JSON.stringify({ token, csrDer: Buffer.from(csrDer).toString("base64"), roles, agentVersion: "raw" });
  const atAgents = { ...hub, port: hub.agentPort };
  const answer = await requestHub(atAgents, "/agent/v1/enroll", { method: "POST", body, authorization: undefined });
  const { certificateChainPem: cert } = answer.json() as { certificateChainPem: string };
  return { agentUrl: hub.agentUrl, caPem: hub.caPem, cert, key };
}
