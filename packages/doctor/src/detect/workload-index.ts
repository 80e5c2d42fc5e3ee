// A cluster has thousands of workloads, and the catalogue some hundred signals: each looks only at the few workloads that
// have one of its images, or its labels.
import { Fields } from "@fairlead/kernel";
import { readTextMap } from "../snapshot/index.ts";
import { parseImage, type Workload } from "../workloads/index.ts";
import type { ComponentSignal } from "./signals.ts";

export class WorkloadIndex {
  readonly #workloads: readonly Workload[];
  readonly #byMark = new Map<string, Set<Workload>>();

  constructor(workloads: readonly Workload[]) {
    this.#workloads = workloads;
    for (const workload of workloads) {
      const marks = knownMarks.get(workload) ?? marksOn(workload);
      knownMarks.set(workload, marks);
      for (const mark of marks) this.#add(mark, workload);
    }
  }

  /** All that can be the component, and others; in the order of the workloads. */
  candidates(signal: ComponentSignal): readonly Workload[] {
    const marks = marksOf(signal);
    if (marks === undefined) return this.#workloads;
    const found = new Set(marks.flatMap((mark) => [...(this.#byMark.get(mark) ?? [])]));
    return found.size === 0 ? [] : this.#workloads.filter((workload) => found.has(workload));
  }

  #add(mark: string, workload: Workload): void {
    const marked = this.#byMark.get(mark);
    if (marked) marked.add(workload);
    else this.#byMark.set(mark, new Set([workload]));
  }
}

/** Workloads that didn't change are the same as in the examination before. */
const knownMarks = new WeakMap<Workload, readonly string[]>();

function marksOn({ containers, object, podLabels }: Workload): string[] {
  const images = containers.map(({ image }) => imageMark(parseImage(image).repository));
  const labels = [readTextMap(new Fields(object).at("metadata", "labels")), podLabels];
  const pairs = labels.flatMap((some) => Object.entries(some).map(([key, value]) => labelMark(key, value)));
  return [...new Set([...images, ...pairs])];
}

/** Each workload that fits has one of these; undefined when it may have any. */
function marksOf({ images, labels, names }: ComponentSignal): string[] | undefined {
  if (images) return images.map(imageMark);
  if (names || labels === undefined) return undefined;
  const [first] = Object.entries(labels);
  return first?.[1].map((value) => labelMark(first[0], value));
}

const imageMark = (repository: string): string => `image ${repository.slice(repository.lastIndexOf("/") + 1)}`;
const labelMark = (key: string, value: string): string => `label ${key}=${value}`;
