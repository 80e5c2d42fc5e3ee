// Hundreds or thousands of idle agents, each with a key and a certificate of its own; and as many bare TLS connections
// with the same certificates.
import { once } from "node:events";
import { connect, type TLSSocket } from "node:tls";
import { tuneGarbageCollection } from "@fairlead/protocol";
import { contextOf, type EnrolledAgent } from "../harness/enrolled-agents.ts";
import { serveParent } from "../harness/forked-peer.ts";
import { type IdleAgent, keepConnected } from "../harness/idle-agent.ts";
import { wallMs } from "../harness/wall-clock.ts";

const atOnce = 64;

tuneGarbageCollection();
let agents: IdleAgent[] = [];
let up = 0;
let lastChangeMs = 0;
const stop = new AbortController();

serveParent({
  open({ agents: given, agentUrl, caPem }: { agents: EnrolledAgent[]; agentUrl: string; caPem: string }) {
    agents = given.map((agent) => ({ ...agent, link: undefined }));
    for (const agent of agents) {
      void keepConnected({ agent, hub: { agentUrl, caPem }, signal: stop.signal, onChanged: note });
    }
  },
  /** How many are there, and when that changed last. */
  count: () => ({ up, lastChangeMs }),
  /** Milliseconds until all have shaken hands; the connections stay until the last is there. */
  async shakeHands({ port, caPem }: { port: number; caPem: string }) {
    const sockets: TLSSocket[] = [];
    // Contexts of their own authority are made before.
    const bare = agents.map(({ localAddress, certPem, keyPem, ...rest }) => {
      const agent: EnrolledAgent = { ...rest, certPem, keyPem, localAddress };
      return { localAddress, secureContext: contextOf(agent, caPem) };
    });
    const start = performance.now();
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        for (let one = bare.pop(); one !== undefined; one = bare.pop()) {
          const socket = connect({ ...one, host: "127.0.0.1", port, servername: "localhost" });
          sockets.push(socket);
          await once(socket, "secureConnect");
          // The server has taken the certificate, too.
          await once(socket, "data");
        }
      }),
    );
    const tookMs = performance.now() - start;
    for (const socket of sockets) socket.destroy();
    return tookMs;
  },
});

/** Counted from all: a link may say twice that it is there. */
function note(): void {
  const now = agents.reduce((sum, { link }) => sum + (link === undefined ? 0 : 1), 0);
  if (now !== up) lastChangeMs = wallMs();
  up = now;
}
