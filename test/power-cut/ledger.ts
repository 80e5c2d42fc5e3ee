// Everything that the hub has acknowledged, with the time as a position of the disk under it.
import type { HubPicture } from "./hub-picture.ts";

export interface Fact {
  /** As a sentence about the hub: "the token of robot r-1 is refused". */
  readonly text: string;
  /** Whether asking costs the hub something, such as one of the failures that it allows an address in a minute. */
  readonly isProbe: boolean;
  /** Where it was acknowledged. */
  readonly from: number;
  /** The last position at which it certainly holds: then something was sent that may end it. */
  until: number;
  holds(picture: HubPicture): Promise<boolean>;
}

export class Ledger {
  readonly #position: () => Promise<number>;
  readonly #facts: Fact[] = [];

  constructor(position: () => Promise<number>) {
    this.#position = position;
  }

  get facts(): readonly Fact[] {
    return this.#facts;
  }

  /** To be called when the answer has come that says so. */
  async note(text: string, holds: Fact["holds"], { isProbe = false }: { isProbe?: boolean } = {}): Promise<Fact> {
    const fact: Fact = { text, isProbe, from: await this.#position(), until: Number.POSITIVE_INFINITY, holds };
    this.#facts.push(fact);
    return fact;
  }

  /** To be called before what may end it is sent. */
  async end(...facts: readonly Fact[]): Promise<void> {
    const position = await this.#position();
    for (const fact of facts) fact.until = Math.min(fact.until, position);
  }

  /** The facts that must hold after a power cut there, oldest first. */
  standingAt(position: number): readonly Fact[] {
    return this.#facts.filter(({ from, until }) => from <= position && position <= until);
  }
}
