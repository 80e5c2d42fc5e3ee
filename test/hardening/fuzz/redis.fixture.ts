// RESP as the hub's resource tree reads it: commands of clients, and replies of a server.
import assert from "node:assert/strict";
import fc from "fast-check";
import { parseCachedKey } from "../../../packages/hub/src/delivery/gitops/resource-tree/cached-key.ts";
import { parseClusterInfoKey } from "../../../packages/hub/src/delivery/gitops/resource-tree/cluster-info-key.ts";
import { readCommand } from "../../../packages/hub/src/delivery/gitops/resource-tree/read-command.ts";
import { RespCommandReader } from "../../../packages/hub/src/delivery/gitops/resource-tree/resp/command-reader.ts";
import { ReplyFrames } from "../../../packages/hub/src/delivery/gitops/resource-tree/resp/reply-frames.ts";
import { cutInto, hostileBytes, hostileText, pieceSizes } from "./hostile.ts";
import { type Fuzzer, hasCode, readOr, rule } from "./rule.ts";

const limits = { wholeBytes: 128, mostBytes: 4_096, mostArgs: 64 };
const commands = ["*2\r\n$3\r\nGET\r\n$5\r\na|b|c\r\n", "*1\r\n$4\r\nPING\r\n", "*0\r\n", "*-1\r\n"].map(toBuffer);
const long = toBuffer(`*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$600\r\n${"x".repeat(600)}\r\n`);
const replies = ["+OK\r\n", "-ERR no\r\n", "$3\r\nabc\r\n", "*2\r\n:1\r\n$-1\r\n", "%1\r\n+a\r\n*1\r\n_\r\n"];
const oddReplies = [">2\r\n+a\r\n+b\r\n", "|1\r\n+a\r\n+b\r\n:1\r\n", "~1\r\n#t\r\n", "=5\r\ntxt:a\r\n"];
const hello = ["HELLO", "3", "AUTH", "u", "p", "SETNAME", "x"].map(toBuffer);
const publicUrl = "https://hub.example";

export const redis: Fuzzer = {
  parser: "RESP",
  rules: [
    rule("commands are the same in pieces of any size, and no more is kept than may be", {
      input: fc.tuple(hostileBytes([...commands, long]), pieceSizes),
      check([bytes, sizes]) {
        assert.deepEqual(readCommands(cutInto(bytes, sizes)), readCommands([bytes]));
      },
    }),
    rule("replies end at the same places in pieces of any size", {
      input: fc.tuple(hostileBytes([...replies, ...oddReplies].map(toBuffer)), pieceSizes),
      check([bytes, sizes]) {
        assert.deepEqual(findEnds(cutInto(bytes, sizes)), findEnds([bytes]));
      },
    }),
    rule("any words are a command, and only a name and a password sign in", {
      input: fc.array(fc.oneof(fc.constantFrom(...hello), fc.uint8Array({ maxLength: 8 }).map(toBuffer)), {
        maxLength: 8,
      }),
      check(words) {
        const command = readCommand(words);
        const credentials = "credentials" in command ? command.credentials : undefined;
        if (credentials) assert.ok(words.some((one) => one.equals(credentials.password)));
      },
    }),
    rule("any key is one of a cluster's or none", {
      input: hostileText([
        "app|resources-tree|ns_name|3|1.8.3.gz",
        "app|managed-resources|name|1.8.3",
        `cluster|info|${publicUrl}/k8s/clusters/east|1.8.3.gz`,
      ]),
      check(text) {
        const key = Buffer.from(text);
        const cached = parseCachedKey(key);
        if (cached)
          assert.ok(text.includes(`|${cached.namespace === "" ? "" : `${cached.namespace}_`}${cached.name}|`));
        const info = parseClusterInfoKey(key, publicUrl);
        if (info) assert.ok(text.startsWith(`cluster|info|${publicUrl}/k8s/clusters/${info.cluster}|`));
      },
    }),
  ],
};

/** Whole commands, and the bytes of long ones, until an error; then its code. */
function readCommands(pieces: readonly Buffer[]): readonly string[] {
  const reader = new RespCommandReader(limits);
  const seen: string[] = [];
  let open = "";
  try {
    for (const piece of pieces) {
      for (const part of reader.read(piece)) {
        const raw = part.raw.toString("latin1");
        if (part.is === "whole") {
          assert.ok(part.raw.length <= limits.wholeBytes);
          seen.push(raw, ...part.args.map((arg) => arg.toString("latin1")));
          continue;
        }
        open += raw;
        if (!part.isLast) continue;
        seen.push(`long ${open}`);
        open = "";
      }
    }
  } catch (error) {
    if (!hasCode(error)) throw error;
    seen.push("refused");
  }
  return seen;
}

function findEnds(pieces: readonly Buffer[]): readonly string[] {
  const frames = new ReplyFrames();
  const ends: string[] = [];
  let before = 0;
  const passed = readOr(() => {
    for (const piece of pieces) {
      for (let at = 0; at < piece.length; ) {
        const { bytes, ended } = frames.pass(piece.subarray(at));
        assert.ok(bytes > 0, "nothing was passed");
        at += bytes;
        if (ended) ends.push(`${ended} at ${before + at}`);
      }
      before += piece.length;
    }
    return true;
  });
  return [...ends, passed ? "passed" : "refused"];
}

function toBuffer(value: string | Uint8Array): Buffer {
  return Buffer.from(value as string);
}
