// Enrolled agents that break the protocol, at the hub's real door: each loses its own link, for a reason that has a
// code, and nobody else notices.

import { once } from "node:events";
import { createClient } from "@connectrpc/connect";
import { until } from "@fairlead/kernel/testing";
import { attachLink, createLinkTransport, LinkService } from "@fairlead/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  answer,
  call,
  dial,
  enroll,
  openSocket,
  openTestHub,
  readRefusal,
  sayHello,
  type TestHub,
} from "../../hub.fixture.ts";

let harness: TestHub;

beforeAll(async () => {
  harness = await openTestHub();
  const steady = await dial(await enroll("steady", harness), harness, answer("steady"));
  await sayHello(steady, "steady");
}, 60_000);
afterAll(() => harness[Symbol.asyncDispose]());

describe("an agent that sends", () => {
  it.each([
    ["garbage", Buffer.from([1, 2, 3]), 4400, "LINK_FRAME_TRUNCATED"],
    ["text", "hello", 4400, "LINK_FRAME_INVALID"],
    ["an oversized frame", Buffer.alloc(4 * 1024 * 1024), 1009, "LINK_FRAME_TOO_LARGE"],
    ["a frame for a stream that never was", frame(8, 41, Buffer.alloc(4)), 4400, "LINK_UNKNOWN_STREAM"],
    ["settings of a protocol from the future", frame(1, 0, '{"versions":[7]}'), 4426, "LINK_NO_COMMON_VERSION"],
  ])("%s loses its link", async (name, message, closeCode, code) => {
    const cluster = name.replaceAll(" ", "-");
    const socket = openSocket(await enroll(cluster, harness), harness);
    socket.on("error", () => undefined); // the rest of what it sends may meet a closed connection
    await once(socket, "open");
    const closed = once(socket, "close");
    socket.send(message);
    expect((await closed)[0]).toBe(closeCode);
    await until(() => endOf(cluster) !== undefined, "its end in the log");
    expect(endOf(cluster)).toMatchObject({ reason: "violation", err: { code } });
    const metrics = await call(harness.hub.peopleUrl, "/metrics", { headers: harness.admin });
    expect(metrics.text).toMatch(new RegExp(`^fairlead_\\S+\\{[^}]*code="${code}"[^}]*\\} \\d`, "m"));
    expect(await ask(cluster)).toContain("PROXY_NOT_CONNECTED");
    expect(await ask("steady")).toBe("steady");
  });

  it("frames of an unknown type keeps its link", async () => {
    const socket = openSocket(await enroll("futuristic", harness), harness);
    await once(socket, "open");
    const link = attachLink({ socket, accept: answer("futuristic") });
    socket.send(frame(99, 7, "from the future"));
    await sayHello(link, "futuristic");
    expect(await ask("futuristic")).toBe("futuristic");
    link.close("done");
  });
});

describe("an agent that tells novels in its Hello", () => {
  it("is welcome, and a line of each is kept", async () => {
    const link = await dial(await enroll("talkative", harness), harness, answer("talkative"));
    const novel = "\0once upon a time ".repeat(50_000);
    const client = createClient(LinkService, createLinkTransport({ link }));
    await client.hello({
      cluster: "talkative",
      protocolVersions: [1],
      sentAtMs: 2n ** 63n - 1n,
      agentInstanceId: novel,
      agentVersion: novel,
      kubernetesVersion: novel,
      kubeSystemUid: novel,
    });
    const shown = await call(harness.hub.peopleUrl, "/api/v1/clusters/talkative", { headers: harness.admin });
    expect(shown.json).toMatchObject({ state: "connected", kubeSystemUid: expect.stringMatching(/^once upon/) });
    expect(shown.text.length).toBeLessThan(5_000);
    link.close("done");
  });
});

describe("an agent that speaks only a newer version", () => {
  it("is told so before it has a link, or in the answer to its Hello", async () => {
    const identity = await enroll("newer", harness);
    expect(await readRefusal(openSocket(identity, harness, "fairlead.link.v2"))).toMatchObject({
      status: 400,
      json: { code: "LINK_REQUEST_INVALID" },
    });
    const link = await dial(identity, harness, answer("newer"));
    await expect(sayHello(link, "newer", [8, 9])).rejects.toThrow(/LINK_PROTOCOL_UNSUPPORTED.*offers: 8, 9/);
    link.close("done");
  });
});

function endOf(cluster: string): unknown {
  const lines = harness.lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  return lines.find((line) => line["msg"] === "agent link closed" && line["cluster"] === cluster);
}

async function ask(cluster: string): Promise<string> {
  return (await call(harness.hub.peopleUrl, `/k8s/clusters/${cluster}/api`, { headers: harness.admin })).text;
}

/** docs/PROTOCOL.md: type, flags, reserved, stream, payload. */
function frame(type: number, stream: number, payload: Buffer | string): Buffer {
  const header = Buffer.alloc(8);
  header[0] = type;
  header.writeUInt32BE(stream, 4);
  return Buffer.concat([header, Buffer.from(payload)]);
}
