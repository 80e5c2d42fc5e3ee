/**
 * Carries out calls in rounds: what is asked for while a round is under way goes into the next one, so that thousands of
 * calls at once cost as many statements as their rounds are. A call that comes alone isn't held up.
 *
 * `run` gives its answers in the order of the items; for one that takes longer it gives a promise, and the next round
 * doesn't wait for that. When it fails for several, each is tried by itself: one that can't be carried out doesn't fail
 * for the others.
 */
export function createRounds<Item, Answer>(options: {
  readonly most: number;
  /** Those of a round have at most `mostSize` together, but for one that has more by itself. */
  readonly sizeOf?: (item: Item) => number;
  readonly mostSize?: number;
  readonly run: (items: readonly Item[]) => Promise<readonly (Answer | Promise<Answer>)[]>;
}): (item: Item) => Promise<Answer> {
  const { most, sizeOf = () => 0, mostSize = 0, run } = options;
  const waiting: Asked<Item, Answer>[] = [];
  let isUnderWay = false;

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!isUnderWay) void carryOut();
    });

  async function carryOut(): Promise<void> {
    isUnderWay = true;
    while (waiting.length > 0) await take(waiting.splice(0, countNext()));
    isUnderWay = false;
  }

  function countNext(): number {
    let size = 0;
    const tooMuch = waiting.findIndex(({ item }, index) => {
      size += sizeOf(item);
      return index === most || (index > 0 && size > mostSize);
    });
    return tooMuch === -1 ? waiting.length : tooMuch;
  }

  async function take(asked: readonly Asked<Item, Answer>[]): Promise<void> {
    try {
      const answers = await run(asked.map(({ item }) => item));
      for (const [index, { resolve }] of asked.entries()) resolve(answers[index] as Answer);
    } catch (error) {
      if (asked.length === 1) asked[0]?.reject(error);
      else await Promise.all(asked.map((one) => take([one])));
    }
  }
}

interface Asked<Item, Answer> {
  readonly item: Item;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}
