// The hub's records of operations of one cluster's applications. What is in memory is in the database.
import type { Application } from "@fairlead/protocol";
import { gitopsErrors } from "../errors.ts";
import type { HubWriteResult } from "../types.ts";
import type { KeptOperations } from "./kept-operations.ts";
import { type OperationRecord, toMirrored } from "./requested-operation.ts";

export class OperationRecords {
  readonly #kept: KeptOperations;
  readonly #records = new Map<string, OperationRecord>();
  /** The last change of each record that is being written. */
  readonly #changing = new Map<string, Promise<void>>();
  /** How many writes of an application with an operation of the cluster's are on their way. */
  readonly #mirroring = new Map<string, number>();

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

  /** Writes an application whose operation, if it has one, is the cluster's. It is known as such before it is there. */
  async mirror(uid: string, wanted: Application, write: () => Promise<HubWriteResult>): Promise<HubWriteResult> {
    this.#mirroring.set(uid, (this.#mirroring.get(uid) ?? 0) + 1);
    try {
      await this.change(uid, (record) => toMirrored(record, wanted.operation));
      return await write();
    } catch (error) {
      if (gitopsErrors.is(error, "GITOPS_NOT_OWNER")) return { is: "fenced" };
      throw error;
    } finally {
      const left = (this.#mirroring.get(uid) ?? 1) - 1;
      if (left > 0) this.#mirroring.set(uid, left);
      else this.#mirroring.delete(uid);
    }
  }

  /** Whether the application may get an operation of the cluster's at this moment. */
  isMirroring(uid: string): boolean {
    return this.#mirroring.has(uid);
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
