// The yardstick of reading a cluster: lists of the kinds that it is given, parsed and kept, six at a time, and nothing else.
import { text } from "node:stream/consumers";
import { Slots } from "@fairlead/kernel";
import { createKubeClient, discoverApis, listObjects, loadKubeconfig, resourceKey } from "@fairlead/kube";

interface Settings {
  readonly kubeconfig: string;
  readonly resources: readonly string[];
}

const settings = JSON.parse(await text(process.stdin)) as Settings;
await using client = createKubeClient({ access: await loadKubeconfig({ path: settings.kubeconfig }) });
const { signal } = new AbortController();
const { resources } = await discoverApis({ client, signal });
const slots = new Slots(6);
const kept: object[] = [];
await Promise.all(
  resources
    .filter((each) => settings.resources.includes(resourceKey(each)))
    .map(async (resource) => {
      const leave = await slots.enter();
      for await (const page of listObjects({ client, resource, signal })) kept.push(...page);
      leave();
    }),
);
console.log(JSON.stringify({ objects: kept.length }));
