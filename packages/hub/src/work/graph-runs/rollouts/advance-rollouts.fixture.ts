// A hub's process that asks for a rollout and takes it further.
import { alice, openOtherProcess } from "../other-process.fixture.ts";
import { openRollouts } from "./open.ts";

const { rollouts } = openRollouts(await openOtherProcess("rollouts"));
await rollouts.create(alice, { kind: "manifests", spec: { set: "web", manifests: "" }, all: true });
