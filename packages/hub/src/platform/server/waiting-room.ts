// Keeps those that wait for a turn, by network. Each network has the same chance of the next turn, however many of it wait.
// Within a network the newest goes first: its client will wait for longest.
export interface WaitingRoom<T> {
  enter(one: T): void;
  leave(one: T): void;
  takeOne(): T | undefined;
}

export function createWaitingRoom<T extends { readonly network: unknown }>(options: {
  readonly random: () => number;
}): WaitingRoom<T> {
  const { random } = options;
  const byNetwork = new Map<unknown, Set<T>>();
  /** The map's keys, for a draw. Those that nobody is left of are removed when they are drawn. */
  const networks: unknown[] = [];

  return {
    enter(one) {
      const known = byNetwork.get(one.network);
      if (known !== undefined) return void known.add(one);
      byNetwork.set(one.network, new Set([one]));
      networks.push(one.network);
    },
    leave(one) {
      byNetwork.get(one.network)?.delete(one);
    },
    takeOne() {
      while (networks.length > 0) {
        const index = Math.floor(random() * networks.length);
        const own = byNetwork.get(networks[index]);
        const newest = own && [...own].at(-1);
        if (newest !== undefined) own?.delete(newest);
        if (!own?.size) removeNetwork(index);
        if (newest !== undefined) return newest;
      }
      return undefined;
    },
  };

  function removeNetwork(index: number): void {
    byNetwork.delete(networks[index]);
    const last = networks.pop();
    if (index < networks.length) networks[index] = last;
  }
}
