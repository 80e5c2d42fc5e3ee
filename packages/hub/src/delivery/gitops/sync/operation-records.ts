// The hub's records of operations of one cluster's applications. What is in memory is in the database.
import type { KeptOperations } from "./kept-operations.ts";
import type { OperationRecord } from "./requested-operation.ts";

export class OperationRecords {
  readonly #kept: KeptOperations;
  readonly #records = new Map<string, OperationRecord>();
  /** The last change of each record that is being written. */
  readonly #changing = new Map<string, Promise<void>>();

  constructor(kept: KeptOperations) {
    this.#kept = kept;
  }

  /** Before an application is looked at. */
  async load(): Promise<void> {
    for (const [uid, record] of await this.#kept.read()) this.#records.set(uid, record);
  }

  of(uid: string): OperationRecord {
    return this.#records.get(uid) ?? none;
  }

  /** One after the other for each application; `next` is asked when it is its turn. Throws when nothing is written. */
  async change(uid: string, next: (record: OperationRecord) => OperationRecord): Promise<void> {
    const before = this.#changing.get(uid) ?? Promise.resolve();
    const changing = before.catch(() => undefined).then(() => this.#write(uid, next));
    this.#changing.set(uid, changing);
    await changing.finally(() => {
      if (this.#changing.get(uid) === changing) this.#changing.delete(uid);
    });
  }

  /** Of the others there is no application any more. */
  async keepOnly(uids: ReadonlySet<string>): Promise<void> {
    await Promise.all([...this.#records.keys()].flatMap((uid) => (uids.has(uid) ? [] : this.drop(uid))));
  }

  async drop(uid: string): Promise<void> {
    await this.change(uid, () => none);
  }

  async #write(uid: string, next: (record: OperationRecord) => OperationRecord): Promise<void> {
    const before = this.of(uid);
    const record = next(before);
    if (record === before) return;
    const isNone = Object.keys(record).length === 0;
    await this.#kept.write(uid, isNone ? undefined : record);
    if (isNone) this.#records.delete(uid);
    else this.#records.set(uid, record);
  }
}

const none: OperationRecord = {};
