// The secret values that must not leave, and what follows from them. Values come while the output is already under way.
import { credentialBeginnings } from "./credential-beginnings.ts";
import { redactErrors } from "./errors.ts";
import { SpellingIndex } from "./spelling-index.ts";
import { spell, textsOf } from "./spellings.ts";

export class KnownSecrets {
  readonly #values = new Set<string>();
  /** Whether they are searched for in chains of two encoders. */
  readonly #texts = new Map<string, boolean>();
  readonly #lines = new Set<string>();
  readonly #limits: RedactLimits;
  readonly #index = new SpellingIndex(credentialBeginnings);
  #bytes = 0;

  constructor(limits: RedactLimits = defaultLimits) {
    this.#limits = limits;
  }

  /** Throws REDACT_TOO_MUCH when more is to be searched for than memory is meant for. */
  add(value: string): void {
    if (value === "" || this.#values.has(value)) return;
    if (value.length > this.#limits.valueBytes) throw this.#tooMuch();
    const { chained, searched, lines } = textsOf(value);
    let bytes = this.#bytes;
    for (const text of [...chained, ...searched]) if (!this.#texts.has(text)) bytes += text.length;
    if (bytes > this.#limits.textBytes) throw this.#tooMuch();
    for (const text of chained) this.#search(text, this.#index.size < this.#limits.chainedSpellings);
    for (const text of searched) this.#search(text, false);
    for (const line of lines) this.#lines.add(line);
    this.#bytes = bytes;
    this.#values.add(value);
  }

  get values(): ReadonlySet<string> {
    return this.#values;
  }

  /** It grows. */
  get index(): SpellingIndex {
    return this.#index;
  }

  /** Lines that are masked when they are nothing but this; one character a byte. */
  get lines(): ReadonlySet<string> {
    return this.#lines;
  }

  #search(text: string, isChained: boolean): void {
    const before = this.#texts.get(text);
    if (before === true || before === isChained) return;
    if (this.#index.size > this.#limits.spellings) throw this.#tooMuch();
    this.#index.addText(text, spell(text, isChained));
    this.#texts.set(text, isChained);
  }

  #tooMuch(): Error {
    return redactErrors.REDACT_TOO_MUCH({ limitKib: this.#limits.valueBytes / 1024 });
  }
}

export interface RedactLimits {
  /** The most bytes of one value. */
  readonly valueBytes: number;
  /** All values, their lines and their leaves. */
  readonly textBytes: number;
  /** With so many spellings no further chains of two encoders are searched for. */
  readonly chainedSpellings: number;
  readonly spellings: number;
}

/** Some 25 bytes of memory for each spelling. */
const defaultLimits: RedactLimits = {
  valueBytes: 64 * 1024,
  textBytes: 4 * 1024 * 1024,
  chainedSpellings: 250_000,
  spellings: 1_000_000,
};
