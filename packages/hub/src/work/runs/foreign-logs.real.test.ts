// Agents that aren't ours send pieces of logs: of other clusters, of claims that aren't theirs, from anywhere, and too large.
import { randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type CommandsHarness, type HarnessHub, openCommandsHarness } from "../commands/commands-harness.fixture.ts";
import { missingMark } from "./write-piece.ts";

const largest = BigInt(Number.MAX_SAFE_INTEGER);
const mebibyte = 1024 * 1024;
let harness: CommandsHarness;
let hub: HarnessHub;
let cluster: string;
/** Claimed under the epoch 1, with some log. */
let id: string;

beforeAll(async () => {
  harness = await openCommandsHarness();
  hub = await harness.openHub();
});
afterAll(() => harness[Symbol.asyncDispose]());
beforeEach(async () => {
  cluster = await addCluster();
  ({ id } = await hub.submit({ cluster }));
  await hub.agent(cluster).claim({ agentInstanceId: "i", most: 1, kinds: ["manifests"] });
  await append("honest\n");
});

describe("a piece of a log", () => {
  it.each<[string, () => Promise<Piece> | Piece]>([
    ["of another cluster's command", async () => ({ by: await addCluster() })],
    ["under the epoch before the first", () => ({ epoch: 0n })],
    ["under an epoch that nobody has", () => ({ epoch: 2n })],
    ["under the largest epoch that is read", () => ({ epoch: largest })],
    ["of a command that there never was", () => ({ command: `cmd_${"0".repeat(26)}` })],
  ])("%s isn't taken, and says nothing of that log", async (_what, attack) => {
    const before = await read();
    expect(await append("forged", { offset: 7n, ...(await attack()) })).toEqual([0, false]);
    expect(await read()).toBe(before);
  });

  it.each<[string, Piece, string]>([
    ["under an epoch beyond all numbers", { epoch: 2n ** 64n - 1n }, "COMMAND_CALL_INVALID"],
    ["from an offset beyond all numbers", { offset: 2n ** 63n }, "COMMAND_CALL_INVALID"],
    ["of something that is no command", { command: "../other" }, "COMMAND_CALL_INVALID"],
    ["by an agent without the role execute", { roles: ["observe"] }, "COMMAND_ROLE_REQUIRED"],
    ["that unpacks to more than 1 MiB", { chunk: gzipSync(Buffer.alloc(100 * mebibyte)) }, "COMMAND_LOG_INVALID"],
    ["that is larger packed than unpacked", { chunk: Buffer.alloc(3 * mebibyte) }, "COMMAND_LOG_INVALID"],
  ])("%s is refused", async (_what, attack, code) => {
    const before = await read();
    await expect(append("forged", attack)).rejects.toThrow(code);
    expect(await read()).toBe(before);
  });

  it("from far behind the end leaves no gap, and one from before changes nothing that is kept", async () => {
    expect(await append("gap", { offset: largest })).toEqual([7, true]);
    expect(await append("evil!!\nmore\n", { offset: 0n })).toEqual([12, true]);
    expect(await read()).toBe("honest\nmore\n");
  });
});

describe("an outcome", () => {
  it("with the largest length of a log that is read ends the log with a mark all the same", async () => {
    const said = { id, epoch: 1n, sequence: 1n, state: "succeeded", logBytes: largest };
    expect((await hub.agent(cluster).report(said)).accepted).toBe(true);
    expect(await append("last\n", { offset: 7n, lost: true })).toEqual([12, false]);
    expect(await append("after the mark", { offset: 12n })).toMatchObject([expect.any(Number), false]);
    expect(await read()).toBe(`honest\nlast\n${missingMark(Number(largest) - 12)}`);
  });

  it("with a length beyond all numbers is refused, and the command goes on", async () => {
    const said = { id, epoch: 1n, sequence: 1n, state: "succeeded", logBytes: 2n ** 64n - 1n };
    await expect(hub.agent(cluster).report(said)).rejects.toThrow("COMMAND_CALL_INVALID");
    expect((await hub.get(id)).state).toBe("claimed");
  });

  it.each([
    ["under the epoch before the first", 0n],
    ["under an epoch that nobody has", 2n],
    ["under the largest epoch that is read", largest],
  ])("%s doesn't count", async (_what, epoch) => {
    const said = { id, epoch, sequence: 1n, state: "succeeded" };
    expect((await hub.agent(cluster).report(said)).accepted).toBe(false);
    expect((await hub.get(id)).state).toBe("claimed");
  });

  it.each([
    ["a NUL", String.raw`{"output":"a\u0000b"}`],
    ["half a character", String.raw`{"output":"\ud800"}`],
    ["a number beyond all numbers", `{"n":1${"0".repeat(200_000)}}`],
    ["nesting that is about as deep as can be written", `${"[".repeat(4_400)}${"]".repeat(4_400)}`],
    ["nesting without end", `${"[".repeat(100_000)}${"]".repeat(100_000)}`],
  ])("with %s in its result counts, and can be shown", async (_what, json) => {
    const said = { id, epoch: 1n, sequence: 1n, state: "succeeded", resultJson: Buffer.from(json) };
    expect((await hub.agent(cluster).report(said)).accepted).toBe(true);
    expect((await hub.get(id)).state).toBe("succeeded");
    expect((await hub.ask("GET", `/api/v1/commands?cluster=${cluster}`)).status).toBe(200);
  });
});

interface Piece {
  readonly by?: string;
  readonly command?: string;
  readonly epoch?: bigint;
  readonly offset?: bigint;
  readonly chunk?: Uint8Array;
  readonly lost?: boolean;
  readonly roles?: ("execute" | "observe")[];
}

/** Gives up to where the log is kept, and whether more is taken. */
async function append(text: string, piece: Piece = {}): Promise<[number, boolean]> {
  const { by = cluster, command = id, epoch = 1n, offset = 0n, chunk = gzipSync(text), lost = false } = piece;
  const { roles = ["execute"] } = piece;
  const answer = await hub.agent(by, { roles }).appendLog({ id: command, epoch, offset, chunk, lost });
  return [Number(answer.acknowledgedOffset), answer.accepted];
}

async function read(): Promise<string> {
  return (await hub.ask("GET", `/api/v1/commands/${id}/log`)).text;
}

async function addCluster(): Promise<string> {
  const name = `c${randomUUID().slice(0, 8)}`;
  await hub.clusters.create({ name, roles: ["execute"] });
  return name;
}
