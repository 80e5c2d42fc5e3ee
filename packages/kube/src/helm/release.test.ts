import { gunzipSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import type { KubeObject } from "../objects/index.ts";
import { packRelease, readRelease, unpackRelease } from "./release.ts";

const metadata = { uid: "u", name: "sh.helm.release.v1.web.v3", resourceVersion: "1" };
const secretOf = (release: string): KubeObject => ({ metadata, data: { release } });

test("a release is packed as Helm packs it, and says what is asked of it", async () => {
  const hook = { name: "migrate", kind: "Job", events: ["pre-upgrade"], last_run: { phase: "Succeeded" } };
  const chart = { metadata: { name: "web", version: "1.0.0" } };
  const release = { name: "web", namespace: "shop", version: 3, info: { status: "deployed" }, chart, hooks: [hook] };
  const packed = await packRelease(release);
  expect(Buffer.from(Buffer.from(packed, "base64").toString(), "base64").subarray(0, 3)).toEqual(
    Buffer.from([0x1f, 0x8b, 8]),
  );
  const unpacked = await unpackRelease(secretOf(packed));
  expect(unpacked).toEqual(release);
  expect(readRelease(unpacked)).toMatchObject({
    name: "web",
    revision: 3,
    status: "deployed",
    isClientSide: true,
    manifest: "",
    hooks: [{ name: "migrate", phase: "Succeeded" }],
  });
});

test("a release that is packed again has all digits of its numbers, as Helm wrote them", async () => {
  const config =
    '{"big":9007199254740993,"long":123456789012345678901234567890,"float":1.10,"exponent":1e+06,"small":7}';
  const text = `{"name":"web","version":3,"config":${config},"chart":{"values":{"list":[18446744073709551615,-0]}}}`;
  const secret = secretOf(Buffer.from(gzipSync(text).toString("base64")).toString("base64"));
  const packed = secretOf(await packRelease(await unpackRelease(secret, { numbers: "exact" })));
  const data = (packed["data"] as { release: string }).release;
  expect(gunzipSync(Buffer.from(Buffer.from(data, "base64").toString(), "base64")).toString()).toBe(text);
  expect(readRelease(await unpackRelease(secret))?.values).toMatchObject({ float: 1.1, exponent: 1_000_000, small: 7 });
});

test.each(["", "eA==", Buffer.from("not packed").toString("base64")])(
  "what isn't packed so is no release: %j",
  async (data) => {
    expect(readRelease(await unpackRelease(secretOf(data)))).toBeUndefined();
  },
);

test("what unpacks to more than there is room for is no release", async () => {
  const bomb = gzipSync(Buffer.alloc(33 * 1024 * 1024, " "));
  const data = Buffer.from(bomb.toString("base64")).toString("base64");
  expect(data.length).toBeLessThan(100_000);
  expect(await unpackRelease(secretOf(data))).toBeUndefined();
});
