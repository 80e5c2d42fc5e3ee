import type { ApplicationDetail } from "@fairlead/contract";
import { expect, test } from "vitest";
import { hubNow } from "../../testing/hub.fixture.ts";
import { signedIn } from "../../testing/signed-in.fixture.ts";

const shop: ApplicationDetail = {
  cluster: "east",
  namespace: "east",
  name: "shop",
  project: "default",
  mode: "managed",
  isDeleting: false,
  sync: "Synced",
  health: "Healthy",
  phase: "Succeeded",
  revision: "abc",
  resourceVersion: "1",
  labels: {},
  annotations: {},
  finalizers: [],
  spec: { project: "default" },
  status: {},
};

/** Each look finds the next state, and the last one again and again. The clock runs a second a look. */
async function wait(states: readonly Partial<ApplicationDetail>[], ...args: string[]) {
  await using signed = await signedIn();
  let looks = 0;
  signed.hub.routes.set("GET /api/v1/clusters/east/applications/east/shop", () => {
    const body = { ...shop, ...states[Math.min(looks, states.length - 1)] };
    looks += 1;
    return { status: 200, body };
  });
  const result = await signed.cli.run(["argo", "app", "wait", "east/shop", ...args], {
    now: () => hubNow + looks * 1_000,
  });
  return { ...result, looks };
}

test("it ends when the application is synced and healthy and nothing is in progress", async () => {
  const begun = [{ sync: "OutOfSync" }, { health: "Progressing" }, { phase: "Running" }, {}];

  const { code, looks, stdout } = await wait(begun);

  expect([code, looks, stdout]).toEqual([0, 4, "shop is Synced and Healthy, last operation Succeeded.\n"]);
});

test.each([
  ["--health", { sync: "OutOfSync" }],
  ["--sync", { health: "Degraded" }],
  ["--operation", { sync: "OutOfSync", health: "Degraded" }],
])("with %s nothing else is waited for", async (flag, state) => {
  expect(await wait([state], flag)).toMatchObject({ code: 0, looks: 1 });
});

test("when the time is up it fails with how the application is, and exit code 10", async () => {
  const { code, stderr } = await wait([{ health: "Progressing" }], "--timeout", "1s");

  expect(code).toBe(10);
  expect(stderr).toContain(
    "The application 'east/shop' isn't ready: it is Synced and Progressing, last operation Succeeded. (CLI_APPLICATION_UNREADY)",
  );
});

test.each([[{ sync: "OutOfSync", phase: "Failed" }], [{ isDeleting: true }]])(
  "what won't get ready by itself isn't waited for: %j",
  async (state) => {
    expect(await wait([state])).toMatchObject({ code: 10, looks: 1 });
  },
);
