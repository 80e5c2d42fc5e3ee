import { Agent } from "node:https";
import { createSecureContext } from "node:tls";

const agents = new Map<string, Agent>();

/**
 * Gives each request a connection of its own to a hub with this certificate authority. Reading the authority and agreeing
 * on keys at each would take more than what is asked for: one reading does, and sessions are taken up again.
 */
export function freshConnections(caPem: string): Agent {
  const known = agents.get(caPem);
  if (known !== undefined) return known;
  const agent = new Agent({ keepAlive: false, secureContext: createSecureContext({ ca: caPem }) });
  agents.set(caPem, agent);
  return agent;
}
