/** A request as the hub opens one; members that don't matter to a scenario are as they are here. */
export function openHead(overrides: object = {}): object {
  return {
    target: "kubernetes",
    method: "GET",
    path: "/api/v1/pods",
    headers: ["Accept", "application/json"],
    upgrade: false,
    requestId: "req_1",
    deadlineMs: 30_000,
    identity: { user: "alice@example.com", groups: ["fairlead:viewers"], remoteAddress: "192.0.2.1" },
    ...overrides,
  };
}

export const ok: object = { status: 200, headers: ["Content-Type", "application/json"] };

export function fill(times: number, byte = "61"): { byte: string; times: number } {
  return { byte, times };
}
