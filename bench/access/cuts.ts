// A cable that is cut for 10 seconds under sessions of every kind: each must go on as if nothing had happened, byte for
// byte. Several of each kind run side by side under one cut.
import { setTimeout as delay } from "node:timers/promises";
import { waitUntil } from "@fairlead/kernel/testing";
import { createChangingPod, followLog, followWatch } from "../harness/changing-pod.ts";
import { echoUntil } from "../harness/echo.ts";
import type { Route } from "../harness/load.ts";
import type { Row } from "../harness/table.ts";
import { atLeast } from "../harness/targets.ts";
import { countWhole } from "../harness/tries.ts";
import { startUpload } from "../harness/upload.ts";
import type { AccessStage } from "./stage.ts";

const mebibyte = 2 ** 20;
const uploadBytes = 256 * mebibyte;
const cutMs = 10_000;
/** Under way when the cable is cut, each upload. */
const startedBytes = 8 * mebibyte;
const limitMs = 120_000;

const kinds = ["exec", "log", "watch", "upload"] as const;
type Counts = Record<(typeof kinds)[number], number>;

export async function measureCuts(options: {
  stage: AccessStage;
  cuts: number;
  perCut: number;
  say: (text: string) => void;
}): Promise<Row[]> {
  const { stage, cuts, perCut, say } = options;
  const whole: Counts = { exec: 0, log: 0, watch: 0, upload: 0 };
  for (let cut = 1; cut <= cuts; cut++) {
    say(`cut ${cut} of ${cuts}: 10 s, under ${perCut} sessions of each kind`);
    const counted = await playCut({ stage, perCut, name: `cut-${cut}`, say });
    for (const kind of kinds) whole[kind] += counted[kind];
  }
  const names = { exec: "exec", log: "logs -f", watch: "watch", upload: "upload of 256 MiB" };
  const count = cuts * perCut;
  return kinds.map((kind) => ({
    name: `${names[kind]} through a cut of 10 s, ${count} tries`,
    unit: "",
    figures: { fairlead: whole[kind] },
    targets: [atLeast(whole[kind], count, "whole")],
  }));
}

async function playCut(options: {
  stage: AccessStage;
  perCut: number;
  name: string;
  say: (text: string) => void;
}): Promise<Counts> {
  const { stage, perCut, name, say } = options;
  const { cable } = stage.cuttable;
  const route: Route = { ...stage.viaHub, pathPrefix: `/k8s/clusters/${stage.cuttable.name}` };
  const signal = AbortSignal.timeout(limitMs);
  const pod = await createChangingPod(stage.cluster, name);
  const over = new AbortController();
  const some = (what: string, run: (index: number) => Promise<boolean>) =>
    countWhole({ what, count: perCut, run, say });
  const running = {
    exec: some("exec", () => echoUntil({ route, pod: name, until: over.signal, signal })),
    log: some("log", () => followLog({ route, pod, signal })),
    watch: some("watch", () => followWatch({ route, pod, signal })),
  };
  const changing = pod.changeUntil(over.signal);
  // The others have a moment to open before the uploads take the machine.
  await delay(1500);
  const path = `${stage.bulkPath}/hash`;
  const uploads = Array.from({ length: perCut }, (_, seed) =>
    startUpload({ route, path, sizeBytes: uploadBytes, seed, signal }),
  );
  const upload = some("upload", (index) => uploads[index]?.isWhole ?? Promise.resolve(false));
  await waitUntil(() => uploads.every(({ sentBytes }) => sentBytes > startedBytes), {
    timeoutMs: 60_000,
    intervalMs: 5,
  });
  cable.cut();
  await delay(cutMs);
  const areUnderWay = uploads.every(({ sentBytes }) => sentBytes < uploadBytes);
  cable.heal();
  await delay(3000);
  over.abort();
  await changing;
  if (!areUnderWay) throw new Error("an upload was over before the cable was cut: nothing was tested");
  return { exec: await running.exec, log: await running.log, watch: await running.watch, upload: await upload };
}
