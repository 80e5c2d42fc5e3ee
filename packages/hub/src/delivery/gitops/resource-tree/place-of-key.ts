// Says in which cluster an application on the hub is, and where there. With the mapping by namespace its namespace has the
// cluster's name, and nothing else decides; by destination the application itself does. No cluster can be made to answer for
// another one's application.
import type { GitopsSettings } from "@fairlead/contract";
import type { Clock } from "@fairlead/kernel";
import type { GitopsObject } from "@fairlead/protocol";
import { type NamespaceRules, ownerOf, remappedNamespaces } from "../destinations/index.ts";
import type { CachedKey } from "./cached-key.ts";

export interface TreePlace {
  readonly cluster: string;
  /** There; empty: Argo CD's own. */
  readonly namespace: string;
}

/** Undefined: it is in none. */
export type PlaceOfKey = (key: CachedKey | undefined) => Promise<TreePlace | undefined>;

export function createPlaceOfKey(options: {
  /** The settings of all clusters that have some. */
  readonly listSettings: () => Promise<readonly Pick<GitopsSettings, "cluster" | "mode" | "mapping">[]>;
  readonly findApplication: (namespace: string, name: string) => Promise<GitopsObject | undefined>;
  readonly rules: NamespaceRules;
  readonly clock: Clock;
}): PlaceOfKey {
  const { listSettings, findApplication, rules, clock } = options;
  const settings = new Kept(readSettings, clock);
  const places = new Kept(findLocation, clock);
  return async (key) => {
    if (!key) return undefined;
    const { mappings } = await settings.get("");
    if (mappings.get(key.namespace) === "namespace") return { cluster: key.namespace, namespace: "" };
    // A hub without such clusters asks nobody.
    if (![...mappings.values()].includes("destination")) return undefined;
    return await places.get(`${key.namespace}/${key.name}`);
  };

  async function readSettings(): Promise<Exchanging> {
    const exchanging = (await listSettings()).filter(({ mode }) => mode !== "off");
    return { mappings: new Map(exchanging.map(({ cluster, mapping }) => [cluster, mapping])) };
  }

  async function findLocation(id: string): Promise<TreePlace | undefined> {
    const [space = "", name = ""] = id.split("/");
    const namespace = space === "" ? rules.argoNamespace : space;
    const { mappings } = await settings.get("");
    const application = await findApplication(namespace, name);
    const cluster = application && ownerOf(application, rules, (each) => mappings.has(each));
    if (cluster === undefined || mappings.get(cluster) !== "destination") return undefined;
    return { cluster, namespace: remappedNamespaces(cluster, rules).includes(namespace) ? "" : namespace };
  }
}

interface Exchanging {
  readonly mappings: ReadonlyMap<string, GitopsSettings["mapping"]>;
}

/** Answers for a while as before: a page of Argo CD's UI asks several times in a row. */
class Kept<Found> {
  readonly #read: (id: string) => Promise<Found>;
  readonly #clock: Clock;
  readonly #answers = new Map<string, { readonly untilMs: number; readonly answer: Promise<Found> }>();

  constructor(read: (id: string) => Promise<Found>, clock: Clock) {
    this.#read = read;
    this.#clock = clock;
  }

  get(id: string): Promise<Found> {
    const before = this.#answers.get(id);
    if (before && before.untilMs > this.#clock.steadyMs()) return before.answer;
    // In the order in which they were asked for: the oldest makes room.
    this.#answers.delete(id);
    const [oldest] = this.#answers.keys();
    if (oldest !== undefined && this.#answers.size >= mostKept) this.#answers.delete(oldest);
    const answer = this.#read(id);
    const kept = { untilMs: this.#clock.steadyMs() + keptMs, answer };
    this.#answers.set(id, kept);
    answer.catch(() => {
      if (this.#answers.get(id) === kept) this.#answers.delete(id);
    });
    return answer;
  }
}

const keptMs = 2_000;
const mostKept = 1_000;
