import { isRawNumber } from "./exact-json.ts";
import { isRecord } from "./is-record.ts";

/** Reads into what came from outside: a field that isn't there, or is of another type, is as if it were absent. */
export class Fields {
  readonly #value: unknown;

  constructor(value: unknown) {
    this.#value = value;
  }

  at(...path: readonly string[]): Fields {
    let value = this.#value;
    for (const name of path) {
      if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return new Fields(undefined);
      // Its length is no field of a list.
      if (Array.isArray(value) && name === "length") return new Fields(undefined);
      value = (value as Readonly<Record<string, unknown>>)[name];
    }
    return new Fields(value);
  }

  /** As it came. */
  get raw(): unknown {
    return this.#value;
  }

  get exists(): boolean {
    return this.#value !== undefined && this.#value !== null;
  }

  get isTrue(): boolean {
    return this.#value === true;
  }

  text(): string | undefined {
    return typeof this.#value === "string" && this.#value !== "" ? this.#value : undefined;
  }

  /** The nearest one that JavaScript has. */
  number(): number | undefined {
    if (isRawNumber(this.#value)) return Number(this.#value.rawJSON);
    return typeof this.#value === "number" ? this.#value : undefined;
  }

  boolean(): boolean | undefined {
    return typeof this.#value === "boolean" ? this.#value : undefined;
  }

  /** A text, number or boolean as text. */
  scalar(): string | undefined {
    const value = this.#value;
    if (isRawNumber(value)) return value.rawJSON;
    return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
      ? String(value)
      : undefined;
  }

  json(): string {
    return JSON.stringify(this.#value) ?? "";
  }

  /** The members of an object, in its own order. */
  entries(): [name: string, value: Fields][] {
    const value = this.#value;
    if (!isRecord(value)) return [];
    return Object.entries(value).map(([name, member]) => [name, new Fields(member)]);
  }

  list(): Fields[] {
    return Array.isArray(this.#value) ? this.#value.map((item) => new Fields(item)) : [];
  }

  /** The entry of `status.conditions` with this type. */
  condition(type: string): Condition | undefined {
    return this.conditions().find((condition) => condition.type === type);
  }

  conditions(): Condition[] {
    return this.at("status", "conditions")
      .list()
      .map((condition) => ({
        type: condition.at("type").text() ?? "",
        status: condition.at("status").text() ?? "Unknown",
        reason: condition.at("reason").text(),
        message: condition.at("message").text() ?? condition.at("reason").text(),
      }));
  }

  /** A controller has seen what is wanted now; true for what says no generation. */
  get isObserved(): boolean {
    const wanted = this.at("metadata", "generation").number();
    const observed = this.at("status", "observedGeneration").number();
    return wanted === undefined || observed === undefined || observed >= wanted;
  }
}

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string | undefined;
  readonly message: string | undefined;
}
