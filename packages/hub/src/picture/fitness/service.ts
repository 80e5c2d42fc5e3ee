// Whether clusters are fit, in one answer over all that the caller may see. Rights are those of the inventory: whoever may
// list the examinations of a cluster sees what they say.
import { type DataAge, type FitnessQuery, mostClustersOnPage } from "@fairlead/contract";
import type { AgeReader, Asking, ObjectsRoom } from "../objects/index.ts";
import type { KnownFindings } from "./known-findings.ts";
import { examinationKind } from "./store.ts";

export interface Fitness {
  /** Makes a `FitnessList`, as JSON. Throws what a list of objects does. */
  list(query: FitnessQuery, asking: Pick<Asking, "principal">): Promise<string>;
}

export function createFitness(options: {
  readonly requests: Pick<ObjectsRoom["requests"], "read">;
  readonly ages: Pick<AgeReader, "read">;
  readonly findings: KnownFindings;
  readonly maxAnswerBytes?: number | undefined;
}): Fitness {
  const { requests, ages, findings, maxAnswerBytes = defaultMaxAnswerBytes } = options;
  return {
    async list({ limit = mostClustersOnPage, cursor = "", ...filter }, { principal }) {
      const request = await requests.read({ ...filter, kind: examinationKind }, { principal });
      const readable = new Set(request.scopes.flatMap(({ clusters }) => clusters));
      const behind = request.clusters.filter(({ name }) => name > cursor).toSorted(byName);
      const clusters = behind.slice(0, limit);
      const found = await findings.read(clusters.map(({ name }) => name).filter((name) => readable.has(name)));
      const shown = ages.read({ ...request, clusters });
      const items = withinBytes(
        shown.map((age) => toItem(age, found.get(age.cluster))),
        maxAnswerBytes,
      );
      const isCut = items.length < shown.length;
      const last = isCut ? shown[items.length - 1]?.cluster : clusters.at(-1)?.name;
      const next = isCut || clusters.length < behind.length ? last : undefined;
      return `{"items":[${items.join(",")}]${next === undefined ? "" : `,"next":${JSON.stringify(next)}`}}`;
    },
  };
}

function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  return one.name < other.name ? -1 : 1;
}

/** The findings are JSON already, made once for all who ask. */
function toItem(age: DataAge, found: string | undefined): string {
  const head = `{"cluster":${JSON.stringify(age.cluster)},"age":${JSON.stringify(age)}`;
  return found === undefined ? `${head}}` : `${head},"found":${found}}`;
}

/** The first one always. */
function withinBytes(items: readonly string[], maxBytes: number): readonly string[] {
  let sizeBytes = 0;
  const end = items.findIndex((item, index) => {
    sizeBytes += Buffer.byteLength(item) + 1;
    return index > 0 && sizeBytes > maxBytes;
  });
  return end === -1 ? items : items.slice(0, end);
}

const defaultMaxAnswerBytes = 8 * 1024 * 1024;
