// What the agent observes of its cluster.
import { boolean, choice, group, type SettingTable, size, text } from "@fairlead/kernel/settings";
import { kindPatterns, namespaces, objectName } from "./kinds.ts";

export interface ObserveSettings {
  readonly observeInclude: readonly string[];
  readonly observeExclude: readonly string[];
  readonly observeNamespaces: readonly string[];
  readonly observeLabelSelector: string | undefined;
  readonly observeEnvValues: "keep" | "mask";
  readonly observeMaxObjectBytes: number;
  readonly observeLease: string | undefined;
  readonly observeDoctor: boolean;
  readonly observeDoctorProbes: boolean;
}

export const observeSettings: SettingTable<ObserveSettings> = group<ObserveSettings>("Observation", {
  observeInclude: {
    kind: kindPatterns(),
    fallback: [],
    help: "Kinds to observe in addition to the usual ones, for example configmaps,*.example.com",
    details: "See [what the agent observes](#what-the-agent-observes). `*.example.com` is a group, `*` is every kind.",
  },
  observeExclude: {
    kind: kindPatterns(),
    fallback: [],
    help: "Kinds to ignore, written in the same way",
    details: "Of a kind that both lists name, the more exact entry wins, and this list where both are equally exact.",
  },
  observeNamespaces: {
    kind: namespaces(),
    fallback: [],
    defaultText: "all",
    help: "Observe only these namespaces, and no cluster-wide objects",
    details: "The agent then sees no nodes and no namespaces.",
  },
  observeLabelSelector: {
    kind: text({ placeholder: "SELECTOR" }),
    help: "Observe only namespaced objects with these labels, for example team=a,tier!=dev",
    details: "It applies to events, too, which rarely have labels.",
  },
  observeEnvValues: {
    kind: choice(["mask", "keep"], "mask|keep"),
    fallback: "mask",
    help: "What to do with literal values of environment variables and with Helm values of Argo CD applications",
  },
  observeMaxObjectBytes: {
    name: "observeMaxObjectSize",
    kind: size({ from: "16Ki", to: "1Mi", example: "256Ki" }),
    fallback: 256 * 1024,
    former: { name: "observeMaxObjectBytes", factor: 1 },
    help: "Size above which an object is cut",
  },
  observeLease: {
    kind: objectName("Lease"),
    defaultText: "`fairlead-agent-observe` in a pod, else none",
    help: "Lease in the agent's own namespace that elects one of several agents with the role observe",
    details: "Without a Lease this agent leads.",
  },
  observeDoctor: {
    kind: boolean(),
    fallback: true,
    help: "Check whether the cluster is fit to run workloads",
    details: "See [inventory.md](inventory.md#is-the-cluster-fit). `--observe-doctor=false` turns it off.",
  },
  observeDoctorProbes: {
    kind: boolean(),
    fallback: false,
    help: "Ask Prometheus and the metrics API for that check, too",
    details: "See [inventory.md](inventory.md#is-the-cluster-fit).",
  },
});
