// The secret values that must not leave, and what follows from them. Values come while the output is already under way.
import { Automaton } from "./automaton.ts";
import { credentialBeginnings } from "./credential-beginnings.ts";
import { redactErrors } from "./errors.ts";
import { spellingsOf } from "./spellings.ts";

export class KnownSecrets {
  readonly #values = new Set<string>();
  readonly #searched = new Set<string>();
  readonly #lines = new Set<string>();
  readonly #limits: RedactLimits;
  #bytes = 0;
  #automaton: Automaton | undefined;

  constructor(limits: RedactLimits = defaultLimits) {
    this.#limits = limits;
  }

  /** Throws REDACT_TOO_MUCH when more is to be searched for than memory is meant for. */
  add(value: string): void {
    if (value === "" || this.#values.has(value)) return;
    if (value.length > this.#limits.valueBytes) throw this.#tooMuch();
    const { searched, lines } = spellingsOf(value);
    let bytes = this.#bytes;
    for (const spelling of searched) if (!this.#searched.has(spelling)) bytes += spelling.length;
    if (bytes > this.#limits.searchedBytes) throw this.#tooMuch();
    this.#bytes = bytes;
    this.#values.add(value);
    for (const spelling of searched) this.#searched.add(spelling);
    for (const line of lines) this.#lines.add(line);
    this.#automaton = undefined;
  }

  get values(): ReadonlySet<string> {
    return this.#values;
  }

  /** Another one after each change. */
  get automaton(): Automaton {
    this.#automaton ??= this.#searched.size === 0 ? ofNothing : new Automaton(this.#searched, credentialBeginnings);
    return this.#automaton;
  }

  /** Lines that are masked when they are nothing but this; one character a byte. */
  get lines(): ReadonlySet<string> {
    return this.#lines;
  }

  #tooMuch(): Error {
    return redactErrors.REDACT_TOO_MUCH({ limitKib: this.#limits.valueBytes / 1024 });
  }
}

export interface RedactLimits {
  /** The most bytes of one value. */
  readonly valueBytes: number;
  /** All spellings of all values. */
  readonly searchedBytes: number;
}

const ofNothing = new Automaton(new Set(), credentialBeginnings);
/** Some 25 bytes of memory for each byte that is searched for. */
const defaultLimits: RedactLimits = { valueBytes: 64 * 1024, searchedBytes: 2 * 1024 * 1024 };
