/** Ids, each with the time from which it is due. Adding, deleting and taking cost the same however many ids wait. */
export class DueQueue {
  readonly #times = new Map<string, number>();
  /** A binary heap by time. An entry whose time isn't the one of its id any more is left over, and skipped. */
  #heap: Entry[] = [];

  get size(): number {
    return this.#times.size;
  }

  has(id: string): boolean {
    return this.#times.has(id);
  }

  /** Takes the place of the time that the id had. */
  set(id: string, atMs: number): void {
    if (this.#times.get(id) === atMs) return;
    this.#times.set(id, atMs);
    this.#push({ id, atMs });
    if (this.#heap.length > 2 * this.#times.size + leftOverEntries) this.#rebuild();
  }

  delete(id: string): void {
    this.#times.delete(id);
  }

  /** When the first id is due; undefined when none waits. */
  nextAtMs(): number | undefined {
    return this.#first()?.atMs;
  }

  /** Removes an id that is due; undefined when none is. */
  take(nowMs: number): string | undefined {
    const first = this.#first();
    if (first === undefined || first.atMs > nowMs) return undefined;
    this.#pop();
    this.#times.delete(first.id);
    return first.id;
  }

  #first(): Entry | undefined {
    for (;;) {
      const [first] = this.#heap;
      if (first === undefined || this.#times.get(first.id) === first.atMs) return first;
      this.#pop();
    }
  }

  #rebuild(): void {
    this.#heap = [];
    for (const [id, atMs] of this.#times) this.#push({ id, atMs });
  }

  #push(entry: Entry): void {
    const heap = this.#heap;
    let index = heap.push(entry) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (timeAt(heap, parent) <= entry.atMs) break;
      heap[index] = heap[parent] as Entry;
      index = parent;
    }
    heap[index] = entry;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (timeAt(heap, child + 1) < timeAt(heap, child)) child += 1;
      if (timeAt(heap, child) >= last.atMs) break;
      heap[index] = heap[child] as Entry;
      index = child;
    }
    heap[index] = last;
  }
}

interface Entry {
  readonly id: string;
  readonly atMs: number;
}

const leftOverEntries = 64;

function timeAt(heap: readonly Entry[], index: number): number {
  return heap[index]?.atMs ?? Number.POSITIVE_INFINITY;
}
