// An agent that is linked and does nothing. It comes back by the agent's own rule: it asks for its link first, and when
// the hub doesn't know that any more it begins another one; at once, then full jitter from 0.5 s, up to 8 s in the first
// minute of an outage.
import { setTimeout as delay } from "node:timers/promises";
import { Backoff, onAbort } from "@fairlead/kernel";
import { attachLink, type Link, resetCodes } from "@fairlead/protocol";
import type { TestHub } from "@fairlead/testkit";
import { WebSocket } from "ws";
import { dialHub, type EnrolledAgent, sayHello } from "./enrolled-agents.ts";

export interface IdleAgent extends EnrolledAgent {
  /** Undefined while it is away. */
  link: Link | undefined;
}

export async function keepConnected(options: {
  agent: IdleAgent;
  hub: Pick<TestHub, "agentUrl" | "caPem">;
  signal: AbortSignal;
  /** After the agent has come, and gone. */
  onChanged?: () => void;
}): Promise<void> {
  const { agent, hub, signal, onChanged = () => undefined } = options;
  const backoff = new Backoff({ baseMs: 500, maxMs: 8_000 });
  let spare: WebSocket | undefined;
  while (!signal.aborted) {
    await delay(backoff.nextMs(), undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    const socket = spare?.readyState === WebSocket.OPEN ? spare : await dialHub(agent, hub);
    spare = undefined;
    if (!socket) continue;
    const link = attachLink({
      socket,
      accept: refuse,
      dialAgain: () => redial(agent, hub),
      keepSpare: (left) => {
        spare = left;
      },
    });
    if (!(await sayHello(link, agent))) continue;
    link.onStateChanged = (state) => {
      agent.link = state === "up" ? link : undefined;
      onChanged();
    };
    agent.link = link;
    onChanged();
    backoff.reset();
    using _listening = onAbort(signal, () => link.close("the benchmark is over"));
    await link.closed;
    agent.link = undefined;
    onChanged();
  }
}

async function redial(...[agent, hub]: Parameters<typeof dialHub>) {
  const socket = await dialHub(agent, hub);
  if (!socket) throw new Error("the hub isn't there");
  return socket;
}

function refuse(): never {
  throw new Error(`an idle agent serves nothing (${resetCodes.refused})`);
}
