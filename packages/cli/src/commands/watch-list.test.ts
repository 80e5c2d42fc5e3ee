import { FairleadError } from "@fairlead/kernel";
import { expect, test } from "vitest";
import type { CommandContext } from "../context.ts";
import { prepareFormat } from "../formats/index.ts";
import { createOutput } from "../output/index.ts";
import { createTestTerminal } from "../testing/cli.fixture.ts";
import { hubNow, makeCluster } from "../testing/hub.fixture.ts";
import { signedIn } from "../testing/signed-in.fixture.ts";
import { watchList } from "./watch-list.ts";

interface Item {
  readonly name: string;
  readonly state: string;
  readonly seen: number;
}

/** Looks as often as there are states, and then it is over. */
async function watch(states: readonly (readonly Item[] | Error)[], format: "table" | "json" | "name" = "table") {
  const { terminal, stdout, stderr } = createTestTerminal("/nowhere");
  const renderer = format === "name" ? await prepareFormat({ type: "name" }, { type: "item" }) : undefined;
  const output = createOutput(terminal, { isJson: format === "json", isWide: false, hasHeadings: true, renderer });
  let looks = 0;
  await watchList<Item>({ output, signal: terminal.signal } as CommandContext, {
    heading: ["NAME", "STATE"],
    read: async () => {
      const state = states[looks] ?? [];
      looks += 1;
      if (state instanceof Error) throw state;
      return state;
    },
    keyOf: ({ name }) => name,
    markOf: ({ seen: _, ...item }) => item,
    toRow: ({ name, state }) => [name, state],
    isOver: () => looks >= states.length,
  });
  return { stdout: String(stdout.read() ?? ""), stderr: String(stderr.read() ?? "") };
}

const one = { name: "a", state: "up", seen: 1 };

test("all is printed at first, then what changes, under one heading; what goes is told of", async () => {
  const other = { name: "b", state: "up", seen: 1 };

  const { stdout, stderr } = await watch([
    [one, other],
    [
      { ...one, seen: 2 },
      { ...other, state: "down" },
    ],
    [one],
  ]);

  expect(stdout).toBe("NAME  STATE\na     up\nb     up\nb     down\n");
  expect(stderr).toBe("b is gone.\n");
});

test("a hub that is away for a while is asked again, and nothing is printed twice", async () => {
  const away = new FairleadError({ code: "API_UNREACHABLE", message: "The hub is away.", retryable: true });

  expect(await watch([[one], away, [one]])).toEqual({
    stdout: "NAME  STATE\na     up\n",
    stderr: "The hub is away. Trying again.\n",
  });
});

test("an error that won't pass ends the watch", async () => {
  const refused = new FairleadError({ code: "X", message: "No.", httpStatus: 403 });

  await expect(watch([[one], refused])).rejects.toBe(refused);
});

test("as JSON each change is a line, and as names a name", async () => {
  const changed = { ...one, state: "down" };

  expect((await watch([[one], [changed]], "json")).stdout).toBe(`${JSON.stringify(one)}\n${JSON.stringify(changed)}\n`);
  expect((await watch([[one], [changed]], "name")).stdout).toBe("item/a\nitem/a\n");
});

test.each([
  ["cluster list --watch", /^NAME +STATE.*\neast .*\n$/],
  ["run list -w", /^RUN +CLUSTER.*\ncmd_1 .*\n$/],
])("fairlead %s prints what there is, and ends by Ctrl-C", async (line, printed) => {
  await using signed = await signedIn();
  const at = new Date(hubNow).toISOString();
  signed.hub.clusters.set("east", makeCluster("east"));
  const run = { id: "cmd_1", cluster: "east", kind: "helm", target: "helm/a/b", namespace: "a", dryRun: false };
  const more = { state: "queued", requester: "a", priority: 5, createdAt: at, deadlineAt: at, claims: 0, logBytes: 0 };
  signed.hub.routes.set("GET /api/v1/commands?limit=50", () => ({
    status: 200,
    body: { items: [{ ...run, ...more }] },
  }));
  const interrupt = new AbortController();

  const running = signed.cli.run(line.split(" "), { signal: interrupt.signal });
  await expect.poll(() => signed.hub.requests.length).toBeGreaterThan(1);
  interrupt.abort(new Error("interrupted"));

  const { code, stdout } = await running;
  expect(code).toBe(130);
  expect(stdout).toMatch(printed);
});
