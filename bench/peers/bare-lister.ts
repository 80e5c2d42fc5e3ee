// The yardstick of reading a cluster: the lists of all kinds that the doctor's checks may look at, parsed and kept, six at a
// time, and nothing else.
import { text } from "node:stream/consumers";
import { builtInResources } from "@fairlead/doctor";
import { Slots } from "@fairlead/kernel";
import { createKubeClient, discoverApis, listObjects, loadKubeconfig, resourceKey } from "@fairlead/kube";

const { kubeconfig } = JSON.parse(await text(process.stdin)) as { kubeconfig: string };
await using client = createKubeClient({ access: await loadKubeconfig({ path: kubeconfig }) });
const { signal } = new AbortController();
const { resources } = await discoverApis({ client, signal });
const wanted = resources.filter(
  (each) => builtInResources.includes(resourceKey(each)) && each.resource !== "configmaps",
);
const slots = new Slots(6);
const kept: object[] = [];
await Promise.all(
  wanted.map(async (resource) => {
    const leave = await slots.enter();
    for await (const page of listObjects({ client, resource, signal })) kept.push(...page);
    leave();
  }),
);
console.log(JSON.stringify({ objects: kept.length }));
