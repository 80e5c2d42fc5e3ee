// An agent's process that runs one command, to be killed by a test: `node die.fixture.ts JSON`.
import { writeFileSync } from "node:fs";
import { createKubeClient, loadKubeconfig } from "@fairlead/kube";
import { openTestFence } from "../fence.fixture.ts";
import { createTestTask } from "../task.fixture.ts";
import { runTofu } from "./run.ts";
import { parseTofuSpec } from "./spec.ts";

const { kubeconfig, folder, spec, recordFile } = JSON.parse(process.argv[2] ?? "{}");
const kube = createKubeClient({ access: await loadKubeconfig({ path: kubeconfig }) });
const task = createTestTask({ kube, folder, fence: await openTestFence(folder), spec: parseTofuSpec(spec) });
const state = {
  read: task.state.read,
  async write(value: unknown) {
    await task.state.write(value);
    writeFileSync(recordFile, task.record.json ?? "");
  },
};
await runTofu({ ...task, state });
