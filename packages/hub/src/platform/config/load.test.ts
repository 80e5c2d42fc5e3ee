import { resolve } from "node:path";
import { isFairleadError } from "@fairlead/kernel";
import { describe, expect, it } from "vitest";
import { type HubConfig, hubProgram, printConfig, printHelp, readInvocation, type Surroundings } from "./index.ts";

const pathSettings = Object.entries(hubProgram.settings)
  .filter(([, { kind }]) => kind.placeholder === "FILE" || kind.placeholder === "FOLDER")
  .map(([member]) => member);

describe("a path in the hub's configuration", () => {
  it("is one of these", () => {
    expect(pathSettings.toSorted()).toEqual([
      "adminTokenOut",
      "argoKubeconfig",
      "argoRedisPasswordFile",
      "argoRedisTlsCertFile",
      "argoRedisTlsKeyFile",
      "argoRedisUpstreamCaFile",
      "argoRedisUpstreamPasswordFile",
      "auditLog",
      "busListenUrlFile",
      "busNatsCaFile",
      "busNatsCertFile",
      "busNatsCredentialsFile",
      "busNatsKeyFile",
      "caCertFile",
      "caKeyFile",
      "dataDir",
      "databaseCaFile",
      "databaseUrlFile",
      "declarations",
      "keyEncryptionKeyFile",
      "nextCaCertFile",
      "nextCaKeyFile",
      "oidcCaFile",
      "oidcClientSecretFile",
      "otlpHeadersFile",
      "postgresSocketDir",
      "previousKeyEncryptionKeyFile",
      "tlsCertFile",
      "tlsKeyFile",
    ]);
  });

  // Several of them go only together, so that each is read by itself.
  it.each(pathSettings)("is absolute from the start: %s", (member) => {
    const { kind } = hubProgram.settings[member as keyof HubConfig];
    for (const given of ["place", "./place", "a/../place", resolve("place")])
      expect(kind.read(given)).toEqual({ value: resolve("place") });
  });

  it("is absolute in lists, too, and a word in the place of one stays", () => {
    const config = read({ args: ["--postgres-bin-dir", "/usr/bin,own/bin", "--data-dir", "data"], env: {} });
    expect(config).toMatchObject({ dataDir: resolve("data"), postgresBinDir: ["/usr/bin", resolve("own/bin")] });
    expect(hubProgram.settings.auditLog.kind.read("-")).toEqual({ value: "-" });
    expect(hubProgram.settings.argoKubeconfig.kind.read("in-cluster")).toEqual({ value: "in-cluster" });
  });
});

describe("the hub's configuration", () => {
  it("takes flags before environment before file before defaults", () => {
    const config = read({
      args: ["serve", "--config", "hub.yaml", "--listen", "127.0.0.1:1"],
      env: { FAIRLEAD_HUB_LISTEN: "127.0.0.1:2", FAIRLEAD_HUB_AGENT_LISTEN: ":3", PATH: "/bin" },
      readFile: () => "listen: 127.0.0.1:4\nagentListen: 127.0.0.1:5\nlogLevel: debug\nlinkCredit: 32Mi\n",
    });
    expect(config).toMatchObject({
      listen: "127.0.0.1:1",
      agentListen: ":3",
      logLevel: "debug",
      linkCreditBytes: 33_554_432,
      trustDomain: "fairlead.local",
      inMemory: false,
    });
  });

  it("prints itself as a file that gives the same configuration again", () => {
    const config = read({
      args: ["--in-memory", "--public-url", "https://hub.example.com:8443/", "--drain=5ms"],
      env: {},
    });
    expect(config).toMatchObject({ inMemory: true, publicUrl: "https://hub.example.com:8443", drainMs: 5 });
    const again = read({ args: ["-c", "x"], env: {}, readFile: () => printConfig(config) });
    expect(again).toEqual(config);
  });

  it.each([
    [["--lisen", "x"], {}, "CONFIG_UNKNOWN", "Did you mean --listen?"],
    [["--print-config=x"], {}, "CONFIG_INVALID", undefined],
    [[], { FAIRLEAD_HUB_DATADIR: "x" }, "CONFIG_UNKNOWN", "Did you mean FAIRLEAD_HUB_DATA_DIR?"],
    [["--config", "f"], {}, "CONFIG_UNKNOWN", "Did you mean dataDir?"],
    [["--listen", "8443"], {}, "CONFIG_INVALID", undefined],
    [["--listen", "127.0.0.1:99999"], {}, "CONFIG_INVALID", undefined],
    [["--listen"], {}, "CONFIG_INVALID", undefined],
    [["--public-url", "http://hub"], {}, "CONFIG_INVALID", undefined],
    [["--log-level", "loud"], {}, "CONFIG_INVALID", undefined],
    [["--drain", "soon"], {}, "CONFIG_INVALID", undefined],
    [["--certificate-ttl", "59s"], {}, "CONFIG_INVALID", undefined],
    [[], { FAIRLEAD_HUB_CERTIFICATE_TTL: "31d" }, "CONFIG_INVALID", undefined],
    [["--tls-cert-file", "cert.pem"], {}, "CONFIG_INVALID", undefined],
    [["--previous-key-encryption-key-file", "old"], {}, "CONFIG_INVALID", undefined],
    [["--cluster-domain", "example.com", "--public-url", "https://hub.example.com"], {}, "CONFIG_INVALID", undefined],
    [["--cluster-domain", "k8s_hub.example.com"], {}, "CONFIG_INVALID", undefined],
    [["--oidc-issuer", "https://idp.example.com"], {}, "CONFIG_INVALID", undefined],
    [["--oidc-client-id", "fairlead"], {}, "CONFIG_INVALID", undefined],
    [["--oidc-issuer", "http://idp.example.com", "--oidc-client-id", "x"], {}, "CONFIG_INVALID", undefined],
    [["--oidc-scopes", "profile"], {}, "CONFIG_INVALID", undefined],
    [["--first-admin-token-ends"], {}, "CONFIG_INVALID", undefined],
    [["--oidc-client-secret", "x"], {}, "CONFIG_UNKNOWN", undefined],
    [["--database-url", "postgres://u:geheim@h/d"], {}, "CONFIG_SECRET_IN_FLAG", undefined],
    [["--database-url", "postgres://u@h/d?sslpassword=geheim"], {}, "CONFIG_SECRET_IN_FLAG", undefined],
    [["--database-url", "u:geheim@h/d"], {}, "CONFIG_INVALID", undefined],
    [["--database-url", "postgres://u@h/d", "--database-url-file", "f"], {}, "CONFIG_INVALID", undefined],
    [["--database-url", "postgres://u@h/d", "--in-memory"], {}, "CONFIG_INVALID", undefined],
    [
      ["--database-url", "postgres://u@h/d", "--bus-listen-url", "postgres://u:geheim@h/d"],
      {},
      "CONFIG_SECRET_IN_FLAG",
      undefined,
    ],
    [["--in-memory", "--ca-cert-file", "ca.pem"], {}, "CONFIG_INVALID", undefined],
    [["--ca-cert-file", "ca.pem", "--ca-key-file", "ca.key"], {}, "CONFIG_INVALID", undefined],
    [["--in-memory", "--next-ca-cert-file", "ca.pem", "--next-ca-key-file", "ca.key"], {}, "CONFIG_INVALID", undefined],
    [["--bus-listen-url", "postgres://u@h/d"], {}, "CONFIG_INVALID", undefined],
    [["--bus-nats-cert-file", "cert.pem", "--bus-nats-url", "tls://h"], {}, "CONFIG_INVALID", undefined],
    [["--bus-nats-credentials-file", "hub.creds"], {}, "CONFIG_INVALID", undefined],
    [["--bus-nats-subject-prefix", "a.>"], {}, "CONFIG_INVALID", undefined],
    [["--database-connections", "9"], {}, "CONFIG_INVALID", undefined],
    [["--group-prefix", "system:"], {}, "CONFIG_INVALID", undefined],
    [["--group-prefix", "Fairlead:x"], {}, "CONFIG_INVALID", undefined],
    [["--absent-groups-max-age", "soon"], {}, "CONFIG_INVALID", undefined],
    [["--absent-groups-max-age", "30"], {}, "CONFIG_INVALID", undefined],
    [["--absent-groups-max-age", "59s"], {}, "CONFIG_INVALID", undefined],
    [["--absent-groups-max-age", "366d"], {}, "CONFIG_INVALID", undefined],
    [["--session-max", "0s"], {}, "CONFIG_INVALID", undefined],
    [["--argo-shared-redis", "redis:6379"], {}, "CONFIG_INVALID", undefined],
    [["--argo-share-with", "east"], {}, "CONFIG_INVALID", undefined],
    [["--argo-share-with", "east,west", "--argo-shared-redis", "redis:6379"], {}, "CONFIG_INVALID", undefined],
    [["--argo-share-with", "*", "--argo-shared-redis", "redis:6379"], {}, "CONFIG_INVALID", undefined],
    [
      ["--argo-share-with", "east", "--argo-shared-redis", "redis:6379", "--argo-redis-upstream", "redis://redis:6379"],
      {},
      "CONFIG_INVALID",
      undefined,
    ],
    [["--argo-mirror-actions", "get,create"], {}, "CONFIG_INVALID", undefined],
    [["--argo-mirror-actions", "*"], {}, "CONFIG_INVALID", undefined],
    [["--argo-share-with", "East", "--argo-shared-redis", "redis:6379"], {}, "CONFIG_INVALID", undefined],
    [["--argo-share-with", "east", "--argo-shared-redis", "redis:0"], {}, "CONFIG_INVALID", undefined],
    [["--argo-share-with", "east", "--argo-shared-repo-server", ":8081"], {}, "CONFIG_INVALID", undefined],
    [["run"], {}, "CONFIG_COMMAND_UNKNOWN", undefined],
  ])("refuses %j with %j by %s", (args, env, code, hint) => {
    const thrown = catchError(() => readInvocation({ args, env, readFile: () => "datadir: x" }));
    expect(thrown).toMatchObject({ code, ...(hint === undefined ? {} : { hint }) });
    expect(JSON.stringify(thrown)).not.toContain("geheim");
  });

  it("takes the plain numbers of former settings, with a warning", () => {
    const invocation = readInvocation({
      args: ["-c", "f", "--drain-ms", "1500", "--limit-user-bytes-per-second", "0"],
      env: { FAIRLEAD_HUB_AUDIT_RETENTION_DAYS: "7", FAIRLEAD_HUB_RECORDING_MAX_BYTES: "262144" },
      readFile: () => "waitForStoreMs: 150000\n",
    });
    expect(invocation).toMatchObject({
      config: {
        drainMs: 1_500,
        limitUserBytesPerSecond: 0,
        auditRetentionMs: 7 * 86_400_000,
        recordingMaxBytes: 262_144,
        waitForStoreMs: 150_000,
      },
      warnings: [
        "waitForStoreMs in f is deprecated: write waitForStore in f 2m30s instead.",
        "FAIRLEAD_HUB_AUDIT_RETENTION_DAYS is deprecated: write FAIRLEAD_HUB_AUDIT_RETENTION 7d instead.",
        "FAIRLEAD_HUB_RECORDING_MAX_BYTES is deprecated: write FAIRLEAD_HUB_RECORDING_MAX_SIZE 256Ki instead.",
        "--drain-ms is deprecated: write --drain 1s500ms instead.",
        "--limit-user-bytes-per-second is deprecated: write --limit-user-bandwidth 0 instead.",
      ],
    });
  });

  it("has no unit in any name that it offers", () => {
    expect(printHelp()).not.toMatch(/--[a-z-]*-(?:ms|seconds|mib|bytes|days|hours|minutes|second)\b/);
  });

  it.each([
    [
      "postgres://hub:geheim@db.example.com:5433/d?sslmode=require",
      "postgres://hub@db.example.com:5433/d?sslmode=require",
    ],
    ["postgres://hub:ge@geheim@h/d", "postgres://hub@h/d"],
    ["postgres://hub@[::1]:5432/d", "postgres://hub@[::1]:5432/d"],
    ["postgres://hub:geheim@/d?host=/run/pg&password=geheim", "postgres://hub@/d?host=/run/pg&password="],
  ])("prints %s without its password", (url, shown) => {
    const config = read({ args: [], env: { FAIRLEAD_HUB_DATABASE_URL: url, FAIRLEAD_HUB_BUS_LISTEN_URL: url } });
    expect(config).toMatchObject({ databaseUrl: url, busListenUrl: url });
    expect(printConfig(config)).toContain(`databaseUrl: ${shown}\n`);
    expect(printConfig(config)).toContain(`busListenUrl: ${shown}\n`);
    expect(printConfig(config)).not.toContain("geheim");
  });

  it("takes lists with commas or blanks from flags, and as lists from the file", () => {
    const issuer = ["--oidc-issuer", "https://idp.example.com/realms/a", "--oidc-client-id", "fairlead"];
    const flags = read({
      args: [...issuer, "--oidc-scopes", "openid, groups", "--oidc-allowed-groups", "a b"],
      env: {},
    });
    expect(flags).toMatchObject({ oidcScopes: ["openid", "groups"], oidcAllowedGroups: ["a", "b"] });
    const file = read({ args: ["-c", "f"], env: {}, readFile: () => "oidcScopes: [openid, email]" });
    expect(file).toMatchObject({
      oidcScopes: ["openid", "email"],
      oidcAllowedGroups: undefined,
      groupPrefix: undefined,
      usernamePrefix: undefined,
      oidcAssumeEmailVerified: false,
    });
  });

  it.each([
    ["- a\n- b", "it isn't a mapping"],
    ["a: [", "can't be read"],
  ])("refuses the file %j", (text, reason) => {
    const thrown = catchError(() => readInvocation({ args: ["-c", "f.yaml"], env: {}, readFile: () => text }));
    expect(thrown).toMatchObject({ code: "CONFIG_FILE_UNREADABLE", message: expect.stringContaining(reason) });
  });

  it("refuses a file that isn't there by name", () => {
    const thrown = catchError(() => readInvocation({ args: ["-c", "/nowhere/hub.yaml"], env: {} }));
    expect(thrown).toMatchObject({ code: "CONFIG_FILE_UNREADABLE", message: expect.stringContaining("ENOENT") });
  });

  it("knows help and version before anything that could be wrong", () => {
    expect(readInvocation({ args: ["--help"], env: {} }).kind).toBe("help");
    expect(readInvocation({ args: ["-V"], env: {} }).kind).toBe("version");
    for (const flag of ["--data-dir", "--agent-listen", "--print-config"]) expect(printHelp()).toContain(flag);
  });
});

function read(surroundings: Surroundings): HubConfig {
  const invocation = readInvocation(surroundings);
  if (!("config" in invocation)) throw new Error(`unexpected ${invocation.kind}`);
  return invocation.config;
}

function catchError(run: () => unknown): unknown {
  try {
    run();
  } catch (thrown) {
    if (isFairleadError(thrown)) return { code: thrown.code, message: thrown.message, hint: thrown.hint };
    throw thrown;
  }
  throw new Error("nothing was thrown");
}
