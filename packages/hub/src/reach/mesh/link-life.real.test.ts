// A mesh looks at an agent when it connects and not again. So links don't last for ever.
import { once } from "node:events";
import { createMovableClock } from "@fairlead/kernel/testing";
import {
  attachLink,
  type GoAway,
  linkPath,
  linkRolesHeader,
  linkSocketOptions,
  linkSubprotocol,
} from "@fairlead/protocol";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { answer, call, openTestHub, sayHello } from "../../hub.fixture.ts";

const minuteMs = 60_000;
// Moved by minutes, a clock would find every link dead.
const linkLimits = { pingMs: 1e9, deadMs: 1e10 };

test("an agent is sent for a new link at half of a certificate's life, and the old one ends with it", async () => {
  const clock = createMovableClock(Date.now());
  const args = ["--mesh-identity-header", "x-mesh", "--mesh-identity-pattern", "(?<cluster>[a-z]+)"];
  await using harness = await openTestHub({
    args: [...args, "--mesh-identity-peers", "127.0.0.1", "--mesh-identity-plaintext"],
    clock,
    linkLimits,
    config: { certificateTtlMs: 60 * minuteMs },
  });
  await call(harness.hub.peopleUrl, "/api/v1/clusters", {
    method: "POST",
    headers: { ...harness.admin, "content-type": "application/json" },
    body: JSON.stringify({ name: "east", roles: ["proxy"] }),
  });
  const socket = new WebSocket(harness.hub.agentUrl.replace("http:", "ws:") + linkPath, linkSubprotocol, {
    ...linkSocketOptions,
    headers: { "x-mesh": "east", [linkRolesHeader]: "proxy" },
  });
  await once(socket, "open");
  const link = attachLink({ socket, accept: answer("here") });
  const asked = Promise.withResolvers<GoAway>();
  link.onGoAway = asked.resolve;
  await sayHello(link, "");
  clock.move(29 * minuteMs);
  const { text } = await call(harness.hub.peopleUrl, "/k8s/clusters/east/api", { headers: harness.admin });
  expect(text).toBe("here");
  clock.move(8 * minuteMs);
  expect(await asked.promise).toMatchObject({ reason: "its mesh must vouch for it again", drainMs: 30 * minuteMs });
  clock.move(23 * minuteMs);
  await link.closed;
});
