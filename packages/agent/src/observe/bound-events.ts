// Events are many and small: each object's newest are kept, equal ones once, and all together no more than the cap. An
// event takes some hundred bytes of memory, whatever it says.
import { type KubeObject, readEventMs } from "@fairlead/kube";
import { hashUid } from "@fairlead/protocol";

export interface EventBounds {
  readonly perObject: number;
  readonly total: number;
}

const defaultEventBounds: EventBounds = { perObject: 10, total: 5_000 };

interface Entry {
  readonly uid: string;
  /** The object that the event is about. */
  readonly about: string;
  /** A hash of reason and message. */
  readonly saying: number;
  readonly lastMs: number;
}

export interface Admission {
  readonly isAdmitted: boolean;
  /** Uids of those that are out now; may be the event's own, when an older state of it was in. */
  readonly evicted: readonly string[];
}

export class EventBook {
  readonly #bounds: EventBounds;
  readonly #byUid = new Map<string, Entry>();
  readonly #byObject = new Map<string, Entry[]>();

  constructor(bounds: EventBounds = defaultEventBounds) {
    this.#bounds = bounds;
  }

  get size(): number {
    return this.#byUid.size;
  }

  has(uid: string): boolean {
    return this.#byUid.has(uid);
  }

  admit(event: KubeObject): Admission {
    const entry = toEntry(event);
    const wasIn = this.#remove(entry.uid);
    const evicted: string[] = [];
    const place = (): boolean => {
      const same = this.#around(entry).find((other) => other.saying === entry.saying);
      if (same) {
        if (isNewer(same, entry)) return false;
        evicted.push(this.#evict(same));
      }
      const oldest = this.#oldestWhenFull(entry);
      if (oldest) {
        if (isNewer(oldest, entry)) return false;
        evicted.push(this.#evict(oldest));
      }
      this.#add(entry);
      evicted.push(...this.#trim());
      return this.#byUid.has(entry.uid);
    };
    const isAdmitted = place();
    if (!isAdmitted && wasIn && !evicted.includes(entry.uid)) evicted.push(entry.uid);
    return { isAdmitted, evicted: wasIn || isAdmitted ? evicted : evicted.filter((uid) => uid !== entry.uid) };
  }

  /** True when it was in. */
  forget(uid: string): boolean {
    return this.#remove(uid);
  }

  clear(): void {
    this.#byUid.clear();
    this.#byObject.clear();
  }

  #around(entry: Entry): readonly Entry[] {
    return this.#byObject.get(entry.about) ?? [];
  }

  #oldestWhenFull(entry: Entry): Entry | undefined {
    const around = this.#around(entry);
    if (around.length < this.#bounds.perObject) return undefined;
    return around.reduce((oldest, other) => (isNewer(oldest, other) ? other : oldest));
  }

  /** A twentieth more than needed goes at once, so that a flood doesn't sort all for each event. */
  #trim(): string[] {
    const { total } = this.#bounds;
    if (this.#byUid.size <= total) return [];
    const ordered = [...this.#byUid.values()].sort((a, b) => (isNewer(a, b) ? 1 : -1));
    const surplus = ordered.slice(0, this.#byUid.size - Math.floor(total * 0.95));
    return surplus.map((entry) => this.#evict(entry));
  }

  #add(entry: Entry): void {
    this.#byUid.set(entry.uid, entry);
    const around = this.#byObject.get(entry.about);
    if (around) around.push(entry);
    else this.#byObject.set(entry.about, [entry]);
  }

  #evict(entry: Entry): string {
    this.#remove(entry.uid);
    return entry.uid;
  }

  #remove(uid: string): boolean {
    const entry = this.#byUid.get(uid);
    if (!entry) return false;
    this.#byUid.delete(uid);
    const rest = this.#around(entry).filter((other) => other !== entry);
    if (rest.length === 0) this.#byObject.delete(entry.about);
    else this.#byObject.set(entry.about, rest);
    return true;
  }
}

function toEntry(event: KubeObject): Entry {
  const { metadata } = event;
  const about = event["involvedObject"] as Partial<Record<"uid" | "kind" | "namespace" | "name", string>> | undefined;
  return {
    uid: metadata.uid,
    about: about?.uid || `${about?.kind}/${about?.namespace ?? ""}/${about?.name}`,
    saying: hashUid(`${String(event["reason"])}\n${String(event["message"])}`),
    lastMs: readEventMs(event) ?? 0,
  };
}

/** The uid decides between two events of one moment, so that every agent decides alike. */
function isNewer(a: Entry, b: Entry): boolean {
  return a.lastMs === b.lastMs ? a.uid > b.uid : a.lastMs > b.lastMs;
}
