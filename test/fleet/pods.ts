import type { Fleet } from "./start-fleet.ts";

/** A pod that runs on a kwok node; commands executed in it are local processes. */
export async function runPod(fleet: Fleet, name: string, container = "main"): Promise<void> {
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels: { app: name } },
    spec: { containers: [{ name: container, image: "demo" }] },
  };
  await fleet.kubectl(["apply", "-f", "-"], { input: JSON.stringify(pod) });
  await fleet.kubectl(["wait", "--for=condition=Ready", `pod/${name}`, "--timeout=60s"]);
}
