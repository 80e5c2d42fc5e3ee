// People begin exec sessions at one hub while the link of their cluster moves from a second hub, which stops, to a third.
// A stopping hub goes through three steps: its relay takes no more, it says GOAWAY to the other hubs, and those hear where
// the link is now. The other hubs hear late: each of them may begin a session before or after any step.
import { once } from "node:events";
import type { Socket } from "node:net";
import { until } from "@fairlead/kernel/testing";
import type { Link } from "@fairlead/protocol";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { ProxyLink } from "../proxy/ports.ts";
import { openProxyHarness, type ProxyHarness } from "../proxy/proxy-harness.fixture.ts";
import { echo, openUpgrade } from "../proxy/upgrades.fixture.ts";
import { openHubLink } from "./hub-link.fixture.ts";
import { createRelay } from "./relay.ts";

it("loses no exec session and begins none twice, at whichever moment each begins", async () => {
  await fc.assert(
    fc.asyncProperty(moment, moment, moment, async (drain, leave, hear) => {
      await using harness = await openMovingHarness({ drain, leave: later(drain, leave), hear: later(drain, hear) });
      for (const session of sessions) expect(await say(harness.port, session)).toMatch(/101.*\r\n\r\nhello$/s);
      expect(harness.begun).toEqual(sessions.map(pathOf));
    }),
    { seed: 13, numRuns: 25 },
  );
}, 120_000);

/** When a step is taken: as so many streams were opened at the stopping hub, right before the next one or right after. */
interface Moment {
  readonly opened: number;
  readonly isAfter: boolean;
}

const moment: fc.Arbitrary<Moment> = fc.record({ opened: fc.nat({ max: 3 }), isAfter: fc.boolean() });
const sessions = [0, 1, 2, 3];

async function openMovingHarness(steps: { readonly drain: Moment; readonly leave: Moment; readonly hear: Moment }) {
  await using undo = new AsyncDisposableStack();
  const begun: string[] = [];
  const is = { draining: false, heard: false };
  let routes: { readonly old: ProxyLink; readonly now: ProxyLink } | undefined;
  const harness: ProxyHarness = undo.use(
    await openProxyHarness({
      onUpgrade(req, socket, head) {
        begun.push(req.url ?? "");
        socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
        echo(socket, head);
      },
      ports: {
        connections: () => (routes ? [is.heard ? routes.now : routes.old] : []),
        whenUsable: async () => true,
      },
    }),
  );
  const stopping = undo.use(await openHubLink({ accept: relayTo(harness.hubLink, () => is.draining) }));
  const next = undo.use(await openHubLink({ accept: relayTo(harness.hubLink, () => false) }));
  let opened = 0;
  const take = (isAfter: boolean): void => {
    const isNow = (step: Moment): boolean => step.opened === opened && step.isAfter === isAfter;
    if (isNow(steps.drain)) is.draining = true;
    if (isNow(steps.leave)) void stopping.there.goAway({ reason: "hub stopped", drainMs: 1_000 });
    if (isNow(steps.hear)) is.heard = true;
  };
  const old: Link["openStream"] = (open, handlers) => {
    take(false);
    try {
      return stopping.here.openStream({ ...open, cluster: "east" }, handlers);
    } finally {
      take(true);
      opened += 1;
    }
  };
  const now: Link["openStream"] = (open, handlers) => next.here.openStream({ ...open, cluster: "east" }, handlers);
  routes = { old: toRoute(old), now: toRoute(now) };
  const release = undo.move();
  return { port: harness.port, begun, [Symbol.asyncDispose]: () => release.disposeAsync() };
}

function relayTo(link: Link, isDraining: () => boolean) {
  const record = () => ({ link, roles: ["proxy"], refusal: undefined, isDraining: isDraining() });
  const registry = { own: () => [record()] } as unknown as Parameters<typeof createRelay>[0]["registry"];
  return createRelay({ registry, counters: { active: 0, total: 0 } });
}

function toRoute(openStream: Link["openStream"]): ProxyLink {
  return { link: { openStream }, hello: { capabilities: ["identity"] } };
}

/** A hub takes no leave, and nobody hears of another one, before its relay takes no more. */
function later(drain: Moment, step: Moment): Moment {
  if (step.opened !== drain.opened) return step.opened > drain.opened ? step : drain;
  return drain.isAfter ? drain : step;
}

async function say(port: number, session: number): Promise<string> {
  const socket: Socket & { text: string } = openUpgrade(port, "websocket", [], pathOf(session));
  const closed = once(socket, "close");
  await until(() => socket.text.includes("\r\n\r\n"), "an answer");
  socket.end("hello");
  await closed;
  return socket.text;
}

function pathOf(session: number): string {
  return `/api/v1/namespaces/a/pods/b/exec?session=${session}`;
}
