import { setImmediate } from "node:timers/promises";
import { createMovableClock } from "@fairlead/kernel/testing";
import { type KubeClient, kubeErrors } from "@fairlead/kube";
import { beforeEach, expect, test } from "vitest";
import { type ApiRecovery, createApiRecovery } from "./api-recovery.ts";

const forbidden = (): Error => kubeErrors.KUBE_FORBIDDEN({ message: "secrets is forbidden" });
const away = (): Error => kubeErrors.KUBE_UNREACHABLE({ server: "s", reason: "refused" });
const unready = (): Error => kubeErrors.KUBE_REQUEST_FAILED({ message: "not ready", httpStatus: 500 });

let clock: ReturnType<typeof createMovableClock>;
let recovery: ApiRecovery;
/** The result of each request in turn; the last result repeats. */
let answers: (() => Error | string)[];
let readiness: () => Error | string;
let asked: string[];
let client: KubeClient;
beforeEach(() => {
  clock = createMovableClock(1_000_000);
  asked = [];
  readiness = () => "ok";
  client = {
    pool: {},
    async request({ path }: { readonly path: string }) {
      asked.push(path);
      const next = answers.length > 1 ? answers.shift() : answers[0];
      const answer = path === "/readyz" ? readiness() : next?.();
      if (answer instanceof Error) throw answer;
      return answer;
    },
  } as unknown as KubeClient;
  recovery = createApiRecovery({ client, clock });
});

const ask = () => recovery.patient(client).request({ path: "/secrets" });

async function goOn<T>(work: Promise<T>): Promise<T> {
  let isOver = false;
  const done = work.finally(() => {
    isOver = true;
  });
  done.catch(() => undefined);
  for (; !isOver; clock.move(500)) await setImmediate();
  return await done;
}

test("a refusal right after an outage is asked about again, until the API server knows its roles", async () => {
  answers = [away, forbidden, forbidden, () => "done"];
  await expect(ask()).rejects.toMatchObject({ code: "KUBE_UNREACHABLE" });
  expect(await goOn(ask())).toBe("done");
  expect(asked).toEqual(["/secrets", "/secrets", "/secrets", "/secrets"]);
});

test("an outage that nobody saw is known by an API server that isn't ready yet", async () => {
  readiness = unready;
  answers = [forbidden, () => "done"];
  expect(await goOn(ask())).toBe("done");
});

test("a right that was taken away is missing at once without an outage, and a minute after one", async () => {
  answers = [forbidden];
  await expect(ask()).rejects.toMatchObject({ code: "KUBE_FORBIDDEN" });
  answers = [away, forbidden];
  await expect(ask()).rejects.toMatchObject({ code: "KUBE_UNREACHABLE" });
  const beganMs = clock.now();
  await expect(goOn(ask())).rejects.toMatchObject({ code: "KUBE_FORBIDDEN", message: "secrets is forbidden" });
  expect(clock.now() - beganMs).toBeGreaterThanOrEqual(60_000);
  expect(clock.now() - beganMs).toBeLessThan(70_000);
  await expect(ask()).rejects.toMatchObject({ code: "KUBE_FORBIDDEN" });
});
