// Agents whose links lead to different hubs on one database are taken from one authority to the other together.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { systemClock } from "@fairlead/kernel";
import {
  acceptLink,
  attachLink,
  capabilities,
  createRpcAcceptor,
  type Link,
  linkPath,
  linkServerOptions,
  linkSocketOptions,
  linkSubprotocol,
  RenewalService,
} from "@fairlead/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { openSharedHarness, type SharedHarness, type SharedHub } from "../../platform/pki/shared.fixture.ts";
import { createLogger } from "../../platform/telemetry/index.ts";
import type { LiveLink } from "../links/index.ts";
import { createRolloverService, type RolloverService } from "./index.ts";

interface RollingHub extends SharedHub {
  readonly rollover: RolloverService;
  readonly links: LiveLink[];
}

interface Agent {
  readonly live: LiveLink & { isDraining: boolean; issuer: string };
  /** Its own end of the link. */
  readonly end: Link;
  /** The times within which it was asked to renew. */
  readonly asked: number[];
}

describe.each([
  ["that tell each other", { isDeaf: false }],
  ["whose hints are lost", { isDeaf: true }],
])("hubs %s", (_which, options) => {
  let harness: SharedHarness;
  let undo: AsyncDisposableStack;
  let one: RollingHub;
  let two: RollingHub;
  beforeEach(async () => {
    undo = new AsyncDisposableStack();
    harness = undo.use(await openSharedHarness(options));
    [one, two] = [await openHub(), await openHub()];
  });
  afterEach(() => undo.disposeAsync());

  it("ask their own agents to renew, whichever of them makes the new authority", async () => {
    const [near, far, renewed] = [await connect(one), await connect(two), await connect(two)];
    await one.rollover.rotate({ renewWithinMs: 5 });
    await expect.poll(() => [near.asked, far.asked, renewed.asked], patient).toEqual([[5], [60_000], [60_000]]);
    await two.changes.settled();
    await two.rollover.status();
    expect([near.asked, far.asked].flat()).toHaveLength(2);
  });

  it("close links that stand on the old authority, whichever of them retires it, and no others", async () => {
    const [behind, renewed, draining] = [await connect(two), await connect(two), await connect(two)];
    await one.rollover.rotate({});
    await two.pki.refresh();
    const [, coming = ""] = two.pki.caFingerprints;
    renewed.live.issuer = coming;
    draining.live.isDraining = true;
    await one.rollover.retire({});
    expect(await behind.end.closed).toMatchObject({ text: "certificate authority retired" });
    expect([renewed, draining].map(({ live }) => live.link.state)).toEqual(["up", "up"]);
  });

  it("ask their own agents once more when it is retired, so that they trust the new authority alone", async () => {
    const [near, far] = [await connect(one), await connect(two)];
    await one.rollover.rotate({ renewWithinMs: 5 });
    await expect.poll(() => far.asked.length, patient).toBe(1);
    for (const { live } of [near, far]) live.issuer = one.pki.caFingerprints[1] ?? "";
    await one.rollover.retire({});
    await expect
      .poll(() => [near.asked, far.asked], patient)
      .toEqual([
        [5, 60_000],
        [60_000, 60_000],
      ]);
  });

  it("say at once how far it is, whichever of them is asked", async () => {
    expect(await two.rollover.status()).toMatchObject({ state: "single" });
    await one.rollover.rotate({});
    expect(await two.rollover.status()).toMatchObject({ state: "overlapping" });
    await expect(two.rollover.rotate({})).rejects.toMatchObject({ code: "PKI_ROLLOVER_UNDER_WAY" });
    expect(await two.rollover.retire({})).toMatchObject({ state: "single" });
    await expect(one.rollover.retire({})).rejects.toMatchObject({ code: "PKI_NOTHING_TO_RETIRE" });
  });

  it("don't retire what one of them has just made, while an agent of the one that is asked goes by the old one", async () => {
    await connect(two);
    await one.rollover.rotate({});
    await expect(two.rollover.retire({})).rejects.toMatchObject({ code: "CA_STILL_NEEDED" });
  });

  it("don't retire it while an agent on a link of another one goes by it, though it shares its key with one that has renewed", async () => {
    const { live } = await connect(two);
    // A link is on record where all hubs see it.
    const informed = await openHub({ present: () => two.links });
    await informed.rollover.rotate({});
    await expect(informed.rollover.retire({})).rejects.toMatchObject({ code: "CA_STILL_NEEDED" });
    live.isDraining = true;
    expect(await informed.rollover.retire({})).toMatchObject({ state: "single" });
  });

  async function openHub(others: { readonly present?: () => readonly LiveLink[] } = {}): Promise<RollingHub> {
    const hub = await harness.openHub();
    const links: LiveLink[] = [];
    const log = createLogger({ level: "silent", name: "test" });
    const identity = { listHolders: async () => [] };
    const rollover = createRolloverService({
      pki: hub.pki,
      identity,
      links: { list: () => links, ...others },
      certificateTtlMs: 86_400_000,
      clock: systemClock,
      log,
    });
    return { ...hub, rollover, links };
  }

  /** An agent of the authority that the hub goes by now. */
  async function connect({ pki, links }: RollingHub): Promise<Agent> {
    const asked: number[] = [];
    const accept = createRpcAcceptor({
      routes: (router) => {
        router.service(RenewalService, {
          renewSoon({ withinMs }) {
            asked.push(withinMs);
            return {};
          },
        });
      },
    });
    const hello = { agentInstanceId: "", agentVersion: "", kubeSystemUid: undefined, kubernetesVersion: undefined };
    const { hub, agent: end } = await openLink(undo, accept);
    const live = {
      id: `${links.length}`,
      cluster: `c${links.length}`,
      roles: [],
      connectedAt: 0,
      notAfter: 0,
      link: hub,
      issuer: pki.caFingerprint,
      remoteAddress: "",
      hello: { ...hello, capabilities: [capabilities.renewSoon] },
      refusal: undefined,
      isDraining: false,
    };
    links.push(live);
    return { live, end, asked };
  }
});

/** Over loopback. */
async function openLink(
  undo: AsyncDisposableStack,
  acceptOnAgent: ReturnType<typeof createRpcAcceptor>,
): Promise<{ readonly hub: Link; readonly agent: Link }> {
  const http = createServer();
  const server = new WebSocketServer(linkServerOptions);
  http.on("upgrade", (request, socket, head) => {
    server.handleUpgrade(request, socket, head, (webSocket) => server.emit("connection", webSocket));
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const { port } = http.address() as AddressInfo;
  const accepted = once(server, "connection") as Promise<[WebSocket]>;
  const socket = new WebSocket(`ws://127.0.0.1:${port}${linkPath}`, linkSubprotocol, linkSocketOptions);
  const opened = once(socket, "open");
  const [hubSocket] = await accepted;
  await opened;
  const hub = acceptLink({ socket: hubSocket, accept: refuse });
  const agent = attachLink({ socket, accept: acceptOnAgent });
  undo.defer(async () => {
    for (const link of [hub, agent]) link.close("test is done");
    await Promise.all([hub.closed, agent.closed]);
    http.close();
  });
  return { hub, agent };
}

function refuse(): never {
  throw new Error("nothing is served here");
}

const patient = { timeout: 60_000 };
