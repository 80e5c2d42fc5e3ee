// Uids of a kind that the hub may not have as we know them, in one session. The version to send is chosen when it is
// sent, from the newest that is known: changes of one object coalesce, newest wins.
export interface DirtyEntry {
  /** When the hub's copy began to be behind. */
  readonly sinceMs: number;
  /** Found when comparing or listing: the kind isn't synced before it is acknowledged. */
  readonly isBacklog: boolean;
}

export class DirtySet {
  /** Can be sent: a deletion, or a body is held. */
  readonly #ready = new Map<string, DirtyEntry>();
  /** Has to be fetched first. */
  readonly #hungry = new Map<string, DirtyEntry>();
  readonly #fetching = new Map<string, DirtyEntry>();
  /** Where `peek` is in `#ready`. Beginning anew each time would step over all that was taken out before. */
  #cursor: Iterator<string> = this.#ready.keys();
  #peeked: string | undefined;
  readonly #inFlight = new Map<string, { readonly sequence: number; readonly entry: DirtyEntry }>();
  #backlog = 0;

  /** Not acknowledged. */
  get size(): number {
    return this.#ready.size + this.#hungry.size + this.#fetching.size + this.#inFlight.size;
  }

  get readyCount(): number {
    return this.#ready.size;
  }

  get hungryCount(): number {
    return this.#hungry.size;
  }

  /** Entries that keep the kind from being synced. */
  get backlog(): number {
    return this.#backlog;
  }

  isInFlight(uid: string): boolean {
    return this.#inFlight.has(uid);
  }

  /** Will be sent, with what is known by then. */
  isWaiting(uid: string): boolean {
    return this.#ready.has(uid) || this.#hungry.has(uid) || this.#fetching.has(uid);
  }

  /** Its body is missing. */
  isHungry(uid: string): boolean {
    return this.#hungry.has(uid) || this.#fetching.has(uid);
  }

  /**
   * Its newest version differs from the one that was sent. A fetch that is under way then brings a version that is too
   * old.
   */
  mark(uid: string, options: { isReady: boolean; isBacklog: boolean; nowMs: number }): void {
    const { isReady, isBacklog, nowMs } = options;
    const before = this.#ready.get(uid) ?? this.#hungry.get(uid) ?? this.#fetching.get(uid);
    if (isBacklog && !before?.isBacklog) this.#backlog++;
    const entry = {
      sinceMs: before?.sinceMs ?? nowMs,
      isBacklog: isBacklog || before?.isBacklog === true,
    };
    this.#fetching.delete(uid);
    (isReady ? this.#hungry : this.#ready).delete(uid);
    (isReady ? this.#ready : this.#hungry).set(uid, entry);
  }

  /** The next that can be sent; it stays until `sent` or `mark`. */
  peek(): { readonly uid: string; readonly entry: DirtyEntry } | undefined {
    while (this.#ready.size > 0) {
      const entry = this.#peeked === undefined ? undefined : this.#ready.get(this.#peeked);
      if (entry && this.#peeked !== undefined) return { uid: this.#peeked, entry };
      const next = this.#cursor.next();
      this.#peeked = next.done ? undefined : next.value;
      if (next.done) this.#cursor = this.#ready.keys();
    }
    return undefined;
  }

  sent(uid: string, sequence: number): void {
    const entry = this.#ready.get(uid);
    if (entry === undefined) return;
    this.#ready.delete(uid);
    // It may be marked again before the next one is asked for; then its turn is the last.
    if (this.#peeked === uid) this.#peeked = undefined;
    const earlier = this.#inFlight.get(uid);
    // The later batch's acknowledgement covers the earlier one.
    if (earlier?.entry.isBacklog && entry.isBacklog) this.#backlog--;
    const isBacklog = entry.isBacklog || earlier?.entry.isBacklog === true;
    const sinceMs = Math.min(entry.sinceMs, earlier?.entry.sinceMs ?? entry.sinceMs);
    this.#inFlight.set(uid, { sequence, entry: { sinceMs, isBacklog } });
  }

  /** The batch that named the uid is in the hub's store. */
  acknowledged(uid: string, sequence: number): void {
    const sent = this.#inFlight.get(uid);
    if (sent === undefined || sent.sequence > sequence) return;
    this.#inFlight.delete(uid);
    if (sent.entry.isBacklog) this.#backlog--;
  }

  /** Uids to fetch now; each is answered by `mark`, or by `unfetched`. */
  takeHungry(): string[] {
    const uids = [...this.#hungry.keys()];
    for (const [uid, entry] of this.#hungry) this.#fetching.set(uid, entry);
    this.#hungry.clear();
    return uids;
  }

  isFetching(uid: string): boolean {
    return this.#fetching.has(uid);
  }

  /** No answer came for these; they are fetched again. */
  unfetched(uids: readonly string[]): void {
    for (const uid of uids) {
      const entry = this.#fetching.get(uid);
      if (entry === undefined) continue;
      this.#fetching.delete(uid);
      this.#hungry.set(uid, entry);
    }
  }

  oldestSinceMs(): number | undefined {
    let oldest: number | undefined;
    for (const entries of [this.#ready, this.#hungry, this.#fetching])
      for (const { sinceMs } of entries.values()) oldest = Math.min(oldest ?? sinceMs, sinceMs);
    for (const { entry } of this.#inFlight.values()) oldest = Math.min(oldest ?? entry.sinceMs, entry.sinceMs);
    return oldest;
  }
}
