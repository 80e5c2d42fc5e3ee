// A source's world and a target's store as models, with a cable between that keeps order and can be cut. Every message is
// moved by hand, and every write of the target ends when the plan says so.
import { toVersion } from "../inventory.ts";
import { ReplicaSource } from "./source.ts";
import { type ReplicaChange, ReplicaTarget } from "./target.ts";
import {
  driftedVersion,
  type ReplicaContent,
  type ReplicaRefusal,
  type SourceMessage,
  type TargetMessage,
} from "./types.ts";

export class ReplicaWorld {
  /** The truth: what the source's API server has. */
  readonly truth = new Map<string, string>();
  /** The objects in the target's API server: each one's text, and the stamp of what was committed. */
  readonly store = new Map<string, StoredObject>();
  readonly #keepsContent: boolean;
  nowMs = 1_000;
  writes = 0;
  /** By the source. */
  entriesSent = 0;
  deletions: string[] = [];
  /** Set: writes of this uid are refused. */
  readonly refusing = new Set<string>();
  mostUnacked = 0;
  /** The target's last answer for each object. */
  readonly answers = new Map<string, "taken" | ReplicaRefusal["reason"]>();
  source: ReplicaSource;
  target: ReplicaTarget;
  readonly #toTarget: SourceMessage[] = [];
  readonly #toSource: TargetMessage[] = [];
  readonly #unsure = new Set<string>();
  #applying = new Map<string, ReplicaChange>();
  isConnected = false;

  constructor({ keepsContent = true }: { readonly keepsContent?: boolean } = {}) {
    this.#keepsContent = keepsContent;
    this.source = this.#newSource();
    this.target = this.#newTarget();
    this.target.loaded();
  }

  edit(uid: string, text: string): void {
    this.truth.set(uid, text);
    this.source.put(uid, toContent(uid, text).version);
  }

  remove(uid: string): void {
    if (this.truth.delete(uid)) this.source.remove(uid);
  }

  /** A change that the source's watch missed: only a listing tells of it. */
  editUnseen(uid: string, text: string | undefined): void {
    if (text === undefined) this.truth.delete(uid);
    else this.truth.set(uid, text);
  }

  list(): void {
    this.source.list([...this.truth].map(([uid, text]) => [uid, toContent(uid, text).version] as const));
  }

  /** Someone edits, or deletes, the target's object. */
  meddle(uid: string, text: string | undefined): void {
    const object = this.store.get(uid);
    if (object === undefined) return;
    if (text === undefined) this.store.delete(uid);
    else this.store.set(uid, { ...object, text });
    this.target.observe(uid, text === undefined ? undefined : stateOf(text));
  }

  connect(): void {
    this.cut();
    this.isConnected = true;
    this.target.connect();
    this.source.connect();
  }

  cut(): void {
    this.isConnected = false;
    this.#toTarget.length = this.#toSource.length = 0;
    this.source.disconnect();
    this.target.disconnect();
  }

  /** Its memory is lost. Writes that it asked for go on, or were never done. */
  restartSource(): void {
    this.cut();
    this.#unsure.clear();
    this.source = this.#newSource();
  }

  restartTarget({ writesGoOn }: { readonly writesGoOn: boolean }): void {
    this.cut();
    const applying = this.#applying;
    this.#applying = new Map();
    if (writesGoOn) for (const change of applying.values()) this.#write(change);
    this.target = this.#newTarget();
    for (const [uid, { text, committed, written }] of this.store) {
      const isAsWritten = stateOf(text) === written;
      this.target.hold({ uid, version: isAsWritten ? committed : driftedVersion, name: uid }, stateOf(text));
    }
    this.target.loaded();
  }

  /** The target's store comes back as it once was. */
  restoreStore(backup: ReadonlyMap<string, StoredObject>): void {
    this.store.clear();
    for (const [uid, object] of backup) this.store.set(uid, object);
    this.#applying.clear();
    this.restartTarget({ writesGoOn: false });
  }

  /** Moves up to `count` messages each way. */
  move(count: number): void {
    for (let moved = 0; moved < count; moved++) {
      const said = this.source.take();
      if (said !== undefined) {
        this.#toTarget.push(said);
        if (said.type === "entry") this.entriesSent += 1;
        this.mostUnacked = Math.max(this.mostUnacked, this.source.status().unacked);
      }
      const arrived = this.#toTarget.shift();
      if (arrived !== undefined) this.target.receive(arrived);
      const answered = this.target.take();
      if (answered !== undefined) this.#toSource.push(answered);
      const heard = this.#toSource.shift();
      if (heard !== undefined) this.source.receive(heard);
    }
  }

  /** Ends one of the writes that were begun, in any order. */
  finishWrite(at: number): void {
    const uids = [...this.#applying.keys()];
    const uid = uids[at % uids.length];
    const change = uid === undefined ? undefined : this.#applying.get(uid);
    if (uid === undefined || change === undefined) return;
    this.#applying.delete(uid);
    if (this.refusing.has(uid)) {
      this.target.refused(uid, { reason: "webhook", message: "no", retryAfterMs: 0 });
      return;
    }
    this.#write(change);
    this.target.committed(uid, stateOf(this.store.get(uid)?.text ?? ""));
  }

  /** The source's owner looks for what the source isn't sure of. */
  look(): void {
    for (const uid of [...this.#unsure]) {
      this.#unsure.delete(uid);
      const text = this.truth.get(uid);
      if (text === undefined) this.source.remove(uid);
      else this.source.put(uid, toContent(uid, text).version);
    }
  }

  settle(): void {
    this.refusing.clear();
    this.list();
    if (!this.isConnected) this.connect();
    else this.source.compare();
    for (let round = 0; round < 12; round++) {
      this.move(50);
      this.look();
      while (this.#applying.size > 0) this.finishWrite(round);
      this.nowMs += 400_000;
    }
  }

  contents(): Map<string, string> {
    return new Map([...this.store].map(([uid, { text }]) => [uid, text]));
  }

  #write({ uid, content }: ReplicaChange): void {
    this.writes += 1;
    if (content === undefined) {
      this.deletions.push(uid);
      this.store.delete(uid);
      return;
    }
    const text = Buffer.from(content.contentJson).toString();
    this.store.set(uid, { text, committed: content.version, written: stateOf(text) });
  }

  #newSource(): ReplicaSource {
    return new ReplicaSource({
      load: (uid) => {
        const text = this.truth.get(uid);
        return text === undefined ? undefined : toContent(uid, text);
      },
      onUnsure: ({ uid }) => this.#unsure.add(uid),
      onAnswered: (uid) => void this.answers.set(uid, this.source.refusalOf(uid)?.reason ?? "taken"),
      onWork: () => undefined,
      now: () => this.nowMs,
      random: () => 0.5,
      maxUnackedEntries: 4,
      maxUnackedBytes: 1_000,
      maxEntryBytes: 200,
    });
  }

  #newTarget(): ReplicaTarget {
    return new ReplicaTarget({
      apply: (change) => {
        if (this.#applying.has(change.uid)) throw new Error(`two writes of ${change.uid} at once`);
        this.#applying.set(change.uid, change);
      },
      onWork: () => undefined,
      now: () => this.nowMs,
      keepsContent: this.#keepsContent,
    });
  }
}

interface StoredObject {
  readonly text: string;
  readonly committed: bigint;
  readonly written: bigint;
}

export function toContent(uid: string, text: string): ReplicaContent {
  const contentJson = Buffer.from(text);
  return { version: toVersion(contentJson), name: uid, contentJson };
}

function stateOf(text: string): bigint {
  return toVersion(Buffer.from(text));
}
