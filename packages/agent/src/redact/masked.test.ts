import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { CommandClient } from "../execute/command-hub.ts";
import type { Outcome } from "../execute/outcome.ts";
import { KnownSecrets } from "./known-secrets.ts";
import { LogMask } from "./log-mask.ts";
import { Masked, MaskedBytes } from "./masked.ts";

const secrets = new KnownSecrets();
secrets.add("canary-4711");

test("masked text is what masking leaves, also when it is kept and read again", () => {
  const text = Masked.text(secrets, "it is canary-4711");
  expect([`${text}`, text.text, JSON.stringify({ text })]).toEqual(["it is ***", "it is ***", '{"text":"it is ***"}']);
  expect(Masked.json(secrets, { "canary-4711": ["canary-4711", 1] }).text).toBe('{"***":["***",1]}');
  expect(Masked.kept(text.text)).toEqual(text);
  expect([text.first(7).text, text.first(9)]).toEqual(["it is *", text]);
  const log = new LogMask(secrets);
  expect(Buffer.concat([log.push(Buffer.from("a canary-4711 b\n")), log.end()]).toString()).toBe("a *** b\n");
});

test("neither raw text nor buffers, errors or JSON fit where masked text is sent", () => {
  const sends = (client: CommandClient, outcome: Outcome): void => {
    const { message, hint, result } = outcome;
    const base = { id: "cmd_1", message: message.text, hint: hint.text, resultJson: result.bytes };
    void client.report(base);
    // @ts-expect-error: raw text
    void client.report({ ...base, message: "raw" });
    // @ts-expect-error: an error
    void client.report({ ...base, message: new Error("raw") });
    // @ts-expect-error: a part of masked text may be anything
    void client.report({ ...base, hint: message.text.slice(1) });
    // @ts-expect-error: JSON
    void client.report({ ...base, resultJson: Buffer.from(JSON.stringify({ raw: true })) });
    // @ts-expect-error: nothing that was masked
    void client.report({ id: "cmd_1", message: message.text, hint: hint.text });
    // @ts-expect-error: in company, too
    void client.reportAll({ reports: [{ ...base, message: "raw" }] });
    void client.appendLog({ id: "cmd_1", chunk: result.bytes });
    // @ts-expect-error: a buffer
    void client.appendLog({ id: "cmd_1", chunk: Buffer.from("raw") });
    // @ts-expect-error: a part of masked bytes isn't known to be masked
    void client.appendLog({ id: "cmd_1", chunk: result.bytes.subarray(1) });
  };
  const makes = (): unknown[] => [
    // @ts-expect-error: the constructor is private
    new Masked("raw"),
    // @ts-expect-error: the constructor is private
    new MaskedBytes(new ArrayBuffer(1), 0, 1),
    // @ts-expect-error: raw text
    { message: "raw" } satisfies Partial<Outcome>,
    // @ts-expect-error: something that looks like it
    { message: { text: "raw", toJSON: () => "raw" } } satisfies Partial<Outcome>,
    // @ts-expect-error: raw text said to be masked
    { message: "raw" as Masked } satisfies Partial<Outcome>,
  ];
  expect([sends.length, makes.length]).toEqual([2, 0]);
  expect(MaskedBytes.isMasked(MaskedBytes.kept(Buffer.from("x")).subarray(0))).toBe(false);
});

test("only readers of what was masked before it was kept say that it is", () => {
  const folder = join(import.meta.dirname, "..");
  const files = globSync("**/*.ts", { cwd: folder }).filter((file) => !/\.(test|fixture)\.ts$/.test(file));
  expect(files.length).toBeGreaterThan(100);
  const sayers = files.filter((file) => /Masked(?:Bytes)?\.kept\b/.test(readFileSync(join(folder, file), "utf8")));
  expect(sayers.sort()).toEqual([
    "execute/log/spool.ts",
    "execute/records/encode.ts",
    "redact/log-mask.ts",
    "redact/masked.ts",
  ]);
  const casts = files.filter((file) => /\bas (?:unknown as )?Masked/.test(readFileSync(join(folder, file), "utf8")));
  expect(casts).toEqual(["redact/masked.ts"]);
});
