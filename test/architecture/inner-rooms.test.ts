// Houses inside a package: rooms with doors, and arrows one way.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readSources, resolveImport, root, type SourceFile } from "./sources.ts";

interface House {
  readonly path: string;
  /** Files that lie in no room, beside `index.ts`, which may use all. */
  readonly hall: readonly string[];
  /** Which room may use which, through its index.ts; `hall` stands for the files of the hall. */
  readonly rooms: Readonly<Record<string, readonly string[]>>;
}

const houses: readonly House[] = [
  {
    path: "packages/protocol/src/link/",
    hall: [],
    rooms: {
      wire: [],
      stream: ["wire"],
      lane: ["wire"],
      session: ["wire", "stream", "lane"],
      socket: ["wire", "stream", "session"],
    },
  },
  {
    path: "packages/hub/src/people/access/",
    hall: [
      "body.ts",
      "end-first-token.ts",
      "errors.ts",
      "party.ts",
      "recall.ts",
      "routes.ts",
      "service.ts",
      "subjects.ts",
      "types.ts",
    ],
    rooms: {
      policy: [],
      giving: ["policy"],
      ledger: [],
      grants: ["policy", "ledger"],
      users: ["ledger"],
      tokens: ["policy", "ledger"],
      robots: ["policy", "ledger", "tokens"],
      sessions: ["policy", "ledger", "tokens"],
      "sign-in": ["policy", "tokens", "sessions", "hall"],
      oidc: ["policy", "tokens", "sessions", "sign-in", "hall"],
      requests: [],
      administration: ["policy", "giving", "ledger", "grants", "robots", "requests", "oidc", "sign-in", "hall"],
      declared: ["grants", "robots", "hall"],
      "own-robots": ["tokens", "robots", "hall"],
      explain: ["policy", "hall"],
    },
  },
  {
    path: "packages/hub/src/delivery/gitops/sync/",
    hall: [
      "accept-sync.ts",
      "fail-sync.ts",
      "failed-sync.ts",
      "guarded-deletions.ts",
      "hand-over.ts",
      "hub-applications.ts",
      "kept-operations.ts",
      "newest-objects.ts",
      "open-ends.ts",
      "operation-records.ts",
      "paced-writes.ts",
      "read-status-part.ts",
      "refused-condition.ts",
      "requested-operation.ts",
      "requests.ts",
      "shown-version.ts",
      "status-part.ts",
      "status-target.ts",
      "types.ts",
      "write-again.ts",
    ],
    rooms: {
      guard: [],
      managed: ["hall"],
      autonomous: ["hall"],
    },
  },
  {
    path: "packages/hub/src/work/graph-runs/",
    hall: [
      "node-part.ts",
      "advance.ts",
      "change-nodes.ts",
      "find-earlier.ts",
      "full-queues.ts",
      "news.ts",
      "node-state.ts",
      "open.ts",
      "port.ts",
      "rows.ts",
      "run-state.ts",
      "settle.ts",
      "store.ts",
      "take-commands.ts",
      "work.ts",
    ],
    rooms: {
      rollouts: ["hall"],
      stacks: ["hall"],
    },
  },
];

const files = readSources(houses.map(({ path }) => path));

describe.each(houses)("$path", ({ path: house, hall, rooms }) => {
  const shipped = files.filter((file) => file.path.startsWith(house) && !file.isTest);

  test("each file lies in a known room or in the hall", () => {
    const isShipped = (name: string): boolean => !/\.(test|fixture)\.ts$/.test(name);
    const names = readdirSync(join(root, house)).filter(isShipped);
    expect(names.sort()).toEqual(["index.ts", ...hall, ...Object.keys(rooms)].sort());
  });

  test("a room uses only the rooms that it may, through their doors", () => {
    const trespassers = shipped.flatMap((file) =>
      targetsOf(file)
        .filter((target) => target.startsWith(house) && roomOf(target) !== roomOf(file.path))
        .filter((target) => {
          const room = roomOf(target);
          const isAllowed = rooms[roomOf(file.path)]?.includes(room) ?? true;
          return !isAllowed || (room !== "hall" && !target.endsWith("/index.ts"));
        })
        .map((target) => `${file.path} -> ${target}`),
    );
    expect(trespassers).toEqual([]);
    expect(shipped.flatMap(targetsOf).length).toBeGreaterThan(50);
  });

  test("the map of the house names each room", () => {
    const map = readFileSync(join(root, "docs", "ARCHITECTURE.md"), "utf8");
    for (const room of Object.keys(rooms)) expect(map).toContain(`| \`${room}/\` |`);
  });

  function roomOf(path: string): string {
    const [room = "", ...rest] = path.slice(house.length).split("/");
    return rest.length === 0 ? "hall" : room;
  }
});

function targetsOf(file: SourceFile): string[] {
  return file.imports
    .filter((specifier) => specifier.startsWith("."))
    .map((specifier) => resolveImport(file, specifier));
}
