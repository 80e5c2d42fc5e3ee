import { setImmediate } from "node:timers/promises";
import { createMovableClock } from "@fairlead/kernel/testing";
import type { KubeClient } from "@fairlead/kube";
import { kubeErrors } from "@fairlead/kube";
import { expect, test } from "vitest";
import { createFlows } from "../flows.fixture.ts";

const hour = 3_600_000;

test.each([25, -25])(
  "scenario 7: a clock that is set by %i hours neither ends a wait nor lengthens it",
  async (hours) => {
    const clock = createMovableClock(1e12);
    let asked = 0;
    const kube = {
      async request() {
        if (++asked === 2) clock.set(hours * hour);
        throw kubeErrors.KUBE_NOT_FOUND({ message: "there is none" });
      },
    } as unknown as KubeClient;
    const flows = createFlows({ kube, namespace: "shop" });
    const wait = { apiVersion: "v1", kind: "Pod", name: "web", until: "ready", timeoutSeconds: 60 };
    let isOver = false;
    const told = flows.run({ ...flows.task([{ id: "ready", wait }]), clock }).finally(() => {
      isOver = true;
    });
    const beganMs = clock.steadyMs();
    for (; !isOver; clock.move(100)) await setImmediate();
    expect((await told).steps[0]).toMatchObject({ code: "FLOW_WAIT_TIMEOUT" });
    expect(clock.steadyMs() - beganMs).toBeGreaterThanOrEqual(60_000);
    expect(clock.steadyMs() - beganMs).toBeLessThan(80_000);
  },
);
