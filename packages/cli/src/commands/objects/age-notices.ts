// Tells a watcher, beside the table, of clusters that go away and come back.
import type { DataAge } from "@fairlead/contract";
import { formatSpan, type Output } from "../../output/index.ts";
import { describeAge, describeTroubles } from "./data-age.ts";

export class AgeNotices {
  readonly #output: Output;
  readonly #now: () => number;
  #ages: ReadonlyMap<string, DataAge> = new Map();
  #saidAt = 0;
  #isBegun = false;
  /** Clusters that aren't well, each with how it is and when its data was right. */
  readonly #away: Map<string, Pick<DataAge, "state" | "verifiedAt">> = new Map();
  /** Kinds that aren't known, by cluster. */
  readonly #unknown: Map<string, ReadonlySet<string>> = new Map();

  constructor(output: Output, now: () => number) {
    this.#output = output;
    this.#now = now;
  }

  /** For the column of a table. */
  describe(cluster: string, kind: string): string {
    return describeAge(this.#output, this.#ages.get(cluster), kind, this.#now() - this.#saidAt);
  }

  /** True when any cluster's state has changed. */
  take(clusters: readonly DataAge[]): boolean {
    this.#ages = new Map(clusters.map((age) => [age.cluster, age]));
    this.#saidAt = this.#now();
    const notices = clusters.flatMap((age) => [...this.#noticeState(age), ...this.#noticeKinds(age)]);
    const isNews = notices.length > 0 || !this.#isBegun;
    if (this.#isBegun) for (const notice of notices) this.#tell(notice);
    return isNews;
  }

  /** After the first table, as `get` without `-w` does. */
  tellFirst(): void {
    this.#isBegun = true;
    for (const warning of describeTroubles([...this.#ages.values()])) this.#tell(warning);
  }

  #noticeState({ cluster, state, ageMs, verifiedAt }: DataAge): string[] {
    const before = this.#away.get(cluster);
    if (state !== "connected") {
      if (before?.state === state) return [];
      this.#away.set(cluster, { state, verifiedAt: before?.verifiedAt ?? verifiedAt });
      const span = ageMs === undefined ? "" : ` Its printed state was right ${formatSpan(ageMs)} ago.`;
      return [`Warning: ${cluster} is ${state}.${span}`];
    }
    // Only when its data has been found right again is it back: a link alone says nothing of objects.
    if (!before || before.verifiedAt === verifiedAt) return [];
    this.#away.delete(cluster);
    return [`${cluster} is back: its data is ${formatSpan(ageMs ?? 0)} old.`];
  }

  #noticeKinds({ cluster, troubles = [] }: DataAge): string[] {
    const before = this.#unknown.get(cluster) ?? new Set();
    const bad = troubles.filter(({ state }) => state === "unavailable");
    const now = new Set(bad.map(({ kind }) => kind));
    this.#unknown.set(cluster, now);
    return [
      ...bad
        .filter(({ kind }) => !before.has(kind))
        .map(({ kind, message = "" }) =>
          `Warning: ${kind} of ${cluster} are unknown from now on. ${message}`.trimEnd(),
        ),
      ...[...before].filter((kind) => !now.has(kind)).map((kind) => `${kind} of ${cluster} are known again.`),
    ];
  }

  #tell(text: string): void {
    this.#output.remark(this.#output.safe(text));
  }
}
