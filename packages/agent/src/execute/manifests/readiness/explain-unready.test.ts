import type { KubeClient, KubeObject } from "@fairlead/kube";
import { Fields } from "@fairlead/kube";
import { expect, test } from "vitest";
import { describePod, explainUnready } from "./explain-unready.ts";

const waiting = (reason: string, message?: string, exitCode?: number) => ({
  status: {
    containerStatuses: [
      {
        name: "app",
        state: { waiting: { reason, message } },
        ...(exitCode !== undefined && { lastState: { terminated: { exitCode } } }),
      },
    ],
  },
});

test.each([
  [waiting("ContainerCreating"), undefined],
  [waiting("ImagePullBackOff", "no such image"), "container app: ImagePullBackOff: no such image"],
  [waiting("CrashLoopBackOff", "back-off", 3), "container app: it ends over and over (exit code 3)"],
  [
    waiting("CreateContainerConfigError", 'secret "x" not found'),
    'container app: CreateContainerConfigError: secret "x" not found',
  ],
  [
    { status: { containerStatuses: [{ name: "app", state: { terminated: { exitCode: 2 } } }] } },
    "container app: it ended with exit code 2",
  ],
  [{ status: { containerStatuses: [{ name: "app", state: { terminated: { exitCode: 0 } } }] } }, undefined],
  [
    {
      status: {
        conditions: [
          { type: "PodScheduled", status: "False", message: "pod has unbound immediate PersistentVolumeClaims" },
        ],
      },
    },
    "no node takes it: pod has unbound immediate PersistentVolumeClaims",
  ],
])("a pod: %j", (pod, told) => {
  expect(describePod(new Fields(pod))).toBe(told);
});

function answering(answers: Readonly<Record<string, unknown>>) {
  const asked: string[] = [];
  const request = async ({ path }: { readonly path: string }): Promise<unknown> => {
    const url = new URL(path, "http://x");
    asked.push(path);
    const answer = answers[url.pathname.split("/").at(-1) ?? ""];
    if (answer === undefined) throw new Error("forbidden");
    return { items: answer };
  };
  return { asked, task: { kube: { request } as unknown as KubeClient, signal: new AbortController().signal } };
}

const workload = (kind: string): KubeObject => ({
  apiVersion: "apps/v1",
  kind,
  metadata: { name: "web", namespace: "shop", uid: "u1", resourceVersion: "1" },
  spec: { selector: { matchLabels: { app: "web" } } },
});

test("a workload is explained by its pods, and by its controller's newest warning where there are none", async () => {
  const pods = [{ metadata: { name: "web-0" }, ...waiting("ErrImagePull") }];
  const one = answering({ pods });
  expect(await explainUnready(one.task, workload("StatefulSet"))).toBe("pod web-0: container app: ErrImagePull");
  expect(one.asked).toEqual(["/api/v1/namespaces/shop/pods?labelSelector=app%3Dweb&limit=50"]);
  const events = [
    { message: "exceeded quota: few", lastTimestamp: "2026-01-01T00:00:02Z" },
    { message: "something before", lastTimestamp: "2026-01-01T00:00:01Z" },
  ];
  const other = answering({ pods: [], events });
  expect(await explainUnready(other.task, workload("StatefulSet"))).toBe("exceeded quota: few");
});

test("nothing is said of what can't be read, and of other kinds nobody is asked", async () => {
  const none = answering({});
  expect(await explainUnready(none.task, workload("Deployment"))).toBeUndefined();
  const { asked, task } = answering({ pods: [], events: [] });
  expect(await explainUnready(task, { ...workload("ConfigMap"), apiVersion: "v1" })).toBeUndefined();
  expect(asked).toEqual([]);
});
