import { type ApiResource, resourceKey } from "@fairlead/kube";
import { isReservedGroup } from "@fairlead/protocol";
import { observeErrors } from "./errors.ts";

/** Kinds that a cluster defines in our group: observed they could pass for what we derive ourselves. */
export function findReserved(resources: readonly ApiResource[]): ApiResource[] {
  return resources.filter(({ group }) => isReservedGroup(group));
}

/** Says once of each that it isn't observed. */
export class ReservedNotes {
  readonly #log: { warn(fields: object, message: string): void };
  readonly #said = new Set<string>();

  constructor(log: { warn(fields: object, message: string): void }) {
    this.#log = log;
  }

  say(resources: readonly ApiResource[]): void {
    for (const key of findReserved(resources).slice(0, maxSaid).map(resourceKey)) {
      if (this.#said.has(key) || this.#said.size >= maxSaid) continue;
      this.#said.add(key);
      const { code, message } = observeErrors.OBSERVE_GROUP_RESERVED({ kind: key });
      this.#log.warn({ kind: key, code }, message);
    }
  }
}

const maxSaid = 100;
