import { expect, test } from "vitest";
import {
  boolean,
  choice,
  duration,
  file,
  formatHelp,
  group,
  list,
  type Program,
  printSettings,
  type ReadSettings,
  rate,
  readSettings,
  replaceTables,
  size,
  text,
  whole,
  wholly,
} from "./index.ts";

interface Config {
  readonly drainMs: number;
  readonly cacheBytes: number;
  readonly bandwidth: number;
  readonly keepsAll: boolean;
  readonly level: "info" | "debug";
  readonly labels: readonly string[];
  readonly token: string | undefined;
  readonly tokenFile: string | undefined;
  readonly url: string | undefined;
  readonly seed: number | undefined;
}

const program: Program<Config> = {
  name: "boat",
  variablePrefix: "BOAT_",
  commandFlags: { to: true, force: false },
  settings: group<Config>("All", {
    drainMs: {
      name: "drain",
      kind: duration({ from: "0s", to: "1h", example: "10s" }),
      fallback: 10_000,
      help: "Time for requests in progress",
      former: { name: "drainSeconds", factor: 1_000 },
    },
    cacheBytes: {
      name: "cache",
      kind: size({ from: "1Mi", to: "1Gi", example: "64Mi" }),
      fallback: () => 67_108_864,
      help: "Size of the cache",
      former: { name: "cacheMib", factor: 1_048_576 },
    },
    bandwidth: { kind: rate({ from: "16Ki", example: "10Mi" }), fallback: 0, help: "Bytes per second" },
    keepsAll: { name: "keepAll", kind: boolean(), fallback: false, help: "Keep everything" },
    level: { kind: choice(["info", "debug"], "LEVEL"), fallback: "info", help: "Detail of the log" },
    labels: { kind: list({ expected: "a list of labels", mayBeEmpty: true }), fallback: ["a", "b"], help: "Labels" },
    token: { kind: text({ placeholder: "TOKEN" }), secret: wholly, help: "Join token" },
    seed: {
      kind: whole({ from: 1, to: 1_000_000 }),
      secret: wholly,
      former: { name: "seedThousands", factor: 1_000 },
      help: "Seed",
    },
    tokenFile: { kind: file(), help: "File with the token", details: "See [tokens](t.md).", defaultText: "`none|any`" },
    url: {
      kind: text({
        placeholder: "URL",
        expected: "a URL that starts with x://",
        isText: (url) => url.startsWith("x://"),
      }),
      secret: { holdsSecret: (url) => url.includes("@"), hide: (url) => url.replace(/[^/]*@/, "") },
      help: "Address",
    },
  }),
};

test("flags win over the environment, that over the file, and that over the default", () => {
  const { config } = run({
    args: ["--config=boat.yaml", "--drain", "5s", "go"],
    env: { BOAT_DRAIN: "6s", BOAT_CACHE: "2Mi", BOAT_LEVEL: "", OTHER: "x" },
    file: { cache: "3Mi", level: "debug", labels: ["c"], token: null },
  });
  expect(config).toEqual({
    drainMs: 5_000,
    cacheBytes: 2_097_152,
    bandwidth: 0,
    keepsAll: false,
    level: "debug",
    labels: ["c"],
    token: undefined,
    seed: undefined,
    tokenFile: undefined,
    url: undefined,
  });
});

test.each([
  [["--keep-all"], true, []],
  [["--keep-all=false"], false, []],
  [["--keep-all", "false", "go"], false, ["go"]],
  [["--keep-all", "go"], true, ["go"]],
  [["go", "--force", "true"], false, ["go", "true"]],
])("%j turns a switch to %s and leaves the words %j", (args, keepsAll, words) => {
  const read = run({ args });
  expect(read.config.keepsAll).toBe(keepsAll);
  expect(read.words).toEqual(words);
});

test("flags that aren't settings are handed on, and an empty list is one", () => {
  const { config, flags } = run({ args: ["--to", "file", "--labels="] });
  expect(flags.get("--to")).toBe("file");
  expect(config.labels).toEqual([]);
});

test.each([
  [{ args: ["--drain-seconds", "2.5"] }, "--drain-seconds is deprecated: write --drain 2s500ms instead."],
  [{ env: { BOAT_DRAIN_SECONDS: "5" } }, "BOAT_DRAIN_SECONDS is deprecated: write BOAT_DRAIN 5s instead."],
  [{ args: ["-c", "f"], file: { cacheMib: 8 } }, "cacheMib in f is deprecated: write cache in f 8Mi instead."],
])("a plain number under the former name counts, with a warning: %j", (given, warning) => {
  const { warnings, config } = run(given);
  expect(warnings).toEqual([warning]);
  expect([2_500, 5_000, 10_000]).toContain(config.drainMs);
  if ("file" in given) expect(config.cacheBytes).toBe(8_388_608);
});

test("a setting in both spellings fails where they are in one place, and the first place wins otherwise", () => {
  expect(failure({ args: ["--drain", "5s", "--drain-seconds", "5"] })).toMatchObject({
    code: "CONFIG_GIVEN_TWICE",
    message: "--drain-seconds and --drain are both set, but they are the same setting.",
  });
  const { config, warnings } = run({ args: ["--drain", "5s"], env: { BOAT_DRAIN_SECONDS: "6" } });
  expect(config.drainMs).toBe(5_000);
  expect(warnings).toEqual([]);
});

test.each([
  [["--drain", "5"], '--drain is invalid: "5" was given, expected a duration from 0s to 1h, for example 10s.'],
  [["--drain", "2h"], '--drain is invalid: "2h" was given, expected a duration from 0s to 1h, for example 10s.'],
  [["--cache", "1Ki"], '--cache is invalid: "1Ki" was given, expected a size from 1Mi to 1Gi, for example 64Mi.'],
  [
    ["--bandwidth", "1Ki"],
    '--bandwidth is invalid: "1Ki" was given, expected 0 or a size from 16Ki on, for example 10Mi.',
  ],
  [["--level", "loud"], '--level is invalid: "loud" was given, expected one of info, debug.'],
  [["--keep-all=maybe"], '--keep-all is invalid: "maybe" was given, expected true or false.'],
  [
    ["--drain-seconds", "soon"],
    '--drain-seconds is invalid: "soon" was given, expected a number; use --drain instead.',
  ],
  [["--drain"], "--drain is invalid: it needs a value."],
  [["--force=x"], "--force is invalid: it takes no value."],
])("%j fails and says what is expected", (args, message) => {
  expect(failure({ args })).toMatchObject({ code: "CONFIG_INVALID", message });
});

test.each([
  [{ args: ["--drian", "5s"] }, "The setting --drian (from the command line) doesn't exist.", "Did you mean --drain?"],
  [
    { env: { BOAT_LEVL: "x" } },
    "The setting BOAT_LEVL (from the environment) doesn't exist.",
    "Did you mean BOAT_LEVEL?",
  ],
  [
    { args: ["-c", "f"], file: { tokenfile: 1 } },
    "The setting tokenfile (from f) doesn't exist.",
    "Did you mean tokenFile?",
  ],
  [
    { args: ["--sail"] },
    "The setting --sail (from the command line) doesn't exist.",
    "Run `boat --help` to list all settings.",
  ],
])("an unknown name fails with the nearest one: %j", (given, message, hint) => {
  expect(failure(given)).toMatchObject({ code: "CONFIG_UNKNOWN", message, hint });
});

test("variables that Kubernetes makes for a Service called like the program aren't settings", () => {
  const env = {
    BOAT_SERVICE_HOST: "10.0.0.1",
    BOAT_SERVICE_PORT_HTTPS: "1",
    BOAT_PORT: "tcp://x",
    BOAT_PORT_1_TCP_ADDR: "x",
  };
  expect(run({ env }).config.drainMs).toBe(10_000);
});

test("secrets aren't taken from flags, and never shown", () => {
  const inFlag = failure({ args: ["--token", "geheim"] });
  expect(inFlag).toMatchObject({ code: "CONFIG_SECRET_IN_FLAG", hint: expect.stringContaining("--token-file") });
  expect(failure({ args: ["--url", "x://geheim@h"] })).toMatchObject({ hint: "Set BOAT_URL instead." });
  expect(run({ args: ["--url", "x://h"] }).config.url).toBe("x://h");
  const invalid = failure({ env: { BOAT_URL: "geheim@h" } });
  expect(invalid.message).toBe("BOAT_URL is invalid: expected a URL that starts with x://.");
  const mistaken = failure({ args: ["--level", "x://user:geheim@h"] });
  expect(mistaken.message).toBe("--level is invalid: expected one of info, debug.");
  const { config } = run({ env: { BOAT_TOKEN: "geheim", BOAT_URL: "x://geheim@h" } });
  const printed = JSON.stringify(printSettings(program, config));
  expect(printed).toContain("x://h");
  expect(JSON.stringify([inFlag, invalid]) + printed).not.toContain("geheim");
});

test("a secret isn't taken from a flag under its former name either, and isn't shown in the warning", () => {
  const inFlag = failure({ args: ["--seed-thousands", "777"] });
  expect(inFlag).toMatchObject({ code: "CONFIG_SECRET_IN_FLAG", hint: "Set BOAT_SEED instead." });
  const { config, warnings } = run({ env: { BOAT_SEED_THOUSANDS: "777" } });
  expect(config.seed).toBe(777_000);
  expect(warnings).toEqual(["BOAT_SEED_THOUSANDS is deprecated: write BOAT_SEED instead."]);
  const mistaken = [
    failure({ env: { BOAT_SEED_THOUSANDS: "777x" } }),
    failure({ env: { BOAT_SEED_THOUSANDS: "7777" } }),
  ];
  for (const { code } of mistaken) expect(code).toBe("CONFIG_INVALID");
  expect(JSON.stringify([inFlag, warnings, mistaken.map(({ message }) => message)])).not.toContain("777");
});

test("what is printed gives the same settings again", () => {
  const { config } = run({ args: ["--drain", "1m30s", "--cache", "100Mi", "--labels", "x,y", "--keep-all"] });
  const file = Object.fromEntries(printSettings(program, config).map(({ name, value }) => [name, value ?? null]));
  expect(file).toMatchObject({ drain: "1m30s", cache: "100Mi", labels: ["x", "y"], keepAll: true });
  expect(run({ args: ["-c", "f"], file }).config).toEqual(config);
});

test("a file that can't be read, or isn't a mapping, is named", () => {
  const gone = (): never => {
    throw Object.assign(new Error("no"), { code: "ENOENT" });
  };
  for (const [readFile, reason] of [
    [gone, "ENOENT"],
    [() => ["a"], "it isn't a mapping"],
  ] as const) {
    expect(() => readSettings(program, { args: ["-c", "f"], env: {}, readFile })).toThrow(
      expect.objectContaining({ code: "CONFIG_FILE_UNREADABLE", message: expect.stringContaining(reason) }),
    );
  }
});

test("help has every setting with its range and default, and no former name", () => {
  const help = formatHelp(program);
  expect(help).toContain("  --drain DURATION\n      Time for requests in progress (0s to 1h; default 10s)\n");
  expect(help).toContain("  --keep-all\n      Keep everything\n");
  expect(help).toContain("  --cache SIZE\n      Size of the cache (1Mi to 1Gi; default 64Mi)\n");
  expect(help).not.toContain("drain-seconds");
});

test("tables replace what stands between a program's markers", () => {
  const document = "a\n<!-- settings of boat -->\nold\n<!-- end of settings of boat -->\nb\n";
  const made = replaceTables(document, program);
  expect(made).toContain(
    "| `--drain DURATION` | `BOAT_DRAIN` | `drain` | `10s` | Time for requests in progress (0s to 1h) |\n",
  );
  expect(made).toContain("| `none\\|any` | File with the token. See [tokens](t.md). |\n");
  expect(made.startsWith("a\n<!--") && made.endsWith("-->\nb\n")).toBe(true);
  expect(made).not.toContain("old");
  expect(replaceTables(made, program)).toBe(made);
  expect(() => replaceTables("no markers", program)).toThrow(TypeError);
});

interface Given {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly file?: object;
}

function run({
  args = [],
  env = {},
  file = {},
}: Given): Extract<ReadSettings<Config>, { kind: "run" | "print-config" }> {
  const read = readSettings(program, { args, env, readFile: () => file });
  if (!("config" in read)) throw new Error(`unexpected ${read.kind}`);
  return read;
}

function failure(given: Given): { readonly code: string; readonly message: string; readonly hint: string } {
  try {
    run(given);
  } catch (thrown) {
    const { code, message, hint } = thrown as { code: string; message: string; hint: string };
    return { code, message, hint };
  }
  throw new Error("nothing was thrown");
}
