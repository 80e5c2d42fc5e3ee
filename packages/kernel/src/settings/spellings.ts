/** `agentListen` as `--agent-listen`. */
export function toFlag(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** `agentListen` as `FAIRLEAD_HUB_AGENT_LISTEN`, with the prefix of its program. */
export function toVariable(prefix: string, name: string): string {
  return prefix + toFlag(name).slice(2).replaceAll("-", "_").toUpperCase();
}
