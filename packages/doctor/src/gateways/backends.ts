import { Fields } from "@fairlead/kernel";
import {
  type ClusterObject,
  isPlanned,
  matchesLabels,
  type ObjectRef,
  oncePerSighting,
  readTextMap,
  refTo,
  type Snapshot,
} from "../snapshot/index.ts";
import { readLabelledPods, readWorkloads } from "../workloads/index.ts";
import type { Backend } from "./gateway.ts";

type Labels = Readonly<Record<string, string>>;

/** Finds pods by selectors, and the Services in front of them. Labels are read once, and each selector is looked up once. */
export class Backends {
  readonly #pods: readonly Labelled[];
  readonly #workloads: readonly (Labelled & { readonly isThere: boolean })[];
  readonly #services: readonly SelectingService[];
  readonly #found = new Map<string, Backend>();

  constructor(snapshot: Snapshot) {
    this.#pods = readLabelledPods(snapshot);
    this.#workloads = readWorkloads(snapshot).map(({ ref, object, podLabels, ready, desired }) => ({
      ref,
      labels: podLabels,
      // The template of one that is planned says which pods there will be. A DaemonSet doesn't say how many.
      isThere: ready > 0 || (isPlanned(object) && (desired > 0 || ref.resource === "daemonsets.apps")),
    }));
    this.#services = readServices(snapshot);
  }

  /** Istio's Gateways take pods of every namespace; those of the Gateway API only of their own. */
  find(selector: Labels, namespace?: string): Backend {
    const key = JSON.stringify([namespace ?? "", Object.entries(selector).toSorted()]);
    const known = this.#found.get(key);
    if (known) return known;
    const found = this.#look(selector, namespace, key);
    this.#found.set(key, found);
    return found;
  }

  #look(selector: Labels, namespace: string | undefined, key: string): Backend {
    const isWanted = ({ ref, labels }: Labelled): boolean =>
      (namespace === undefined || ref.namespace === namespace) && matchesLabels(labels, selector);
    // The same pods as in the examination before are chosen from once.
    const choices = knownChoices.get(this.#pods) ?? new Map<string, readonly Labelled[]>();
    knownChoices.set(this.#pods, choices);
    const pods = choices.get(key) ?? this.#pods.filter(isWanted);
    choices.set(key, pods);
    const workloads = this.#workloads.filter(isWanted);
    const services = this.#services.filter((service) => isInFront(service, [...pods, ...workloads]));
    return {
      selector,
      pods: pods.map(({ ref }) => ref).toSorted(byName),
      hasPods: pods.length > 0 || workloads.some(({ isThere }) => isThere),
      services: services.map(({ ref }) => ref).toSorted(byName),
      addresses: [...new Set(services.flatMap(({ addresses }) => addresses))].toSorted(),
      isWaitingForAddress: services.some(({ isBalanced, addresses }) => isBalanced && addresses.length === 0),
    };
  }
}

const knownChoices = new WeakMap<readonly Labelled[], Map<string, readonly Labelled[]>>();

interface Labelled {
  readonly ref: ObjectRef;
  readonly labels: Labels;
}

interface SelectingService {
  readonly ref: ObjectRef;
  readonly selector: Labels;
  readonly addresses: readonly string[];
  readonly isBalanced: boolean;
}

/** Those without a selector are in front of nothing that they name. */
const readServices = oncePerSighting("services", (services): readonly SelectingService[] =>
  [...services].flatMap((service) => {
    const spec = new Fields(service).at("spec");
    const selector = readTextMap(spec.at("selector"));
    if (Object.keys(selector).length === 0) return [];
    const isBalanced = spec.at("type").text() === "LoadBalancer";
    return [{ ref: refTo("services", service), selector, addresses: addressesOf(service), isBalanced }];
  }),
);

function isInFront({ ref: { namespace }, selector }: SelectingService, targets: readonly Labelled[]): boolean {
  return targets.some(({ ref, labels }) => ref.namespace === namespace && matchesLabels(labels, selector));
}

function addressesOf(service: ClusterObject): string[] {
  const fields = new Fields(service);
  const ingress = fields.at("status", "loadBalancer", "ingress").list();
  const given = ingress.flatMap((entry) => entry.at("hostname").text() ?? entry.at("ip").text() ?? []);
  return [
    ...given,
    ...fields
      .at("spec", "externalIPs")
      .list()
      .flatMap((address) => address.text() ?? []),
  ];
}

const nameOf = ({ namespace = "", name }: ObjectRef): string => `${namespace}/${name}`;
const byName = (a: ObjectRef, b: ObjectRef): number => (nameOf(a) < nameOf(b) ? -1 : 1);
