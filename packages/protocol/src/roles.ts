/** The roles of agent processes in their cluster. A process runs one or more; each has an identity of its own. */
export const roles = ["observe", "proxy", "execute", "gitops"] as const;
export type Role = (typeof roles)[number];

export function isRole(value: unknown): value is Role {
  return typeof value === "string" && (roles as readonly string[]).includes(value);
}
