// A hub's process that applies a stack and takes the run further.
import { alice, openOtherProcess } from "../other-process.fixture.ts";
import { openStacks } from "./open.ts";

const { stacks } = openStacks(await openOtherProcess("stack runs"));
const toResource = (index: number) => ({
  cluster: "east",
  kind: "manifests" as const,
  spec: { set: `s${index}`, manifests: "" },
});
const resources = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`r${index}`, toResource(index)]));
await stacks.run(alice, "web", { action: "apply", resources });
