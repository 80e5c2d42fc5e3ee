/** `agentListen` as flag `agent-listen`. */
export function toFlag(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** `agentListen` as `FAIRLEAD_HUB_AGENT_LISTEN`. */
export function toVariable(key: string): string {
  return variablePrefix + toFlag(key).replaceAll("-", "_").toUpperCase();
}

export const variablePrefix = "FAIRLEAD_HUB_";

/** The known name that a mistyped one most likely stands for; undefined when none is near. */
export function findNearest(name: string, known: readonly string[]): string | undefined {
  let best: { name: string; distance: number } | undefined;
  for (const candidate of known) {
    const distance = countEdits(name.toLowerCase(), candidate.toLowerCase());
    if (!best || distance < best.distance) best = { name: candidate, distance };
  }
  return best && best.distance <= Math.max(2, name.length / 3) ? best.name : undefined;
}

/** Levenshtein's distance. */
function countEdits(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const swap = (above[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1);
      current.push(Math.min(swap, (above[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    above = current;
  }
  return above[to.length] ?? 0;
}
