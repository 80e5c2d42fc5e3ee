/** The kinds of names that completion reads from the hub. */
export const completedNames = [
  "cluster",
  "kind",
  "object",
  "namespace",
  "run",
  "rollout",
  "stack",
  "schedule",
  "template",
  "profile",
  "robot",
  "role",
  "application",
] as const;
export type CompletedName = (typeof completedNames)[number];

/** Hidden: prints names, one a line, and nothing at all when the hub can't be asked. */
export const namesCommandName = "__complete";

/** How a shell asks for them; `words` is how it writes the words typed so far. */
export function namesCommand(name: CompletedName, words: string): string {
  return `fairlead ${namesCommandName} ${name} -- ${words} 2>/dev/null`;
}
