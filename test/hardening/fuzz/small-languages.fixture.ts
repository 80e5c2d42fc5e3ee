// The small languages of commands: conditions and references of flows, placeholders of templates, and schedules.
import assert from "node:assert/strict";
import fc from "fast-check";
import { parseExpression } from "../../../packages/agent/src/execute/flow/expression/parse.ts";
import { parseFieldPath, valueAt } from "../../../packages/agent/src/execute/flow/values/field-path.ts";
import { readReferences } from "../../../packages/agent/src/execute/flow/values/references.ts";
import { SyntaxProblem } from "../../../packages/agent/src/execute/flow/values/scanner.ts";
import { parseCron } from "../../../packages/hub/src/work/schedules/cron.ts";
import { readPlaceholders } from "../../../packages/hub/src/work/templates/rendering/placeholders.ts";
import { hostileText } from "./hostile.ts";
import { type Fuzzer, readOr, rule } from "./rule.ts";

const isProblem = (error: unknown): boolean => error instanceof SyntaxProblem;
const earlier: ReadonlySet<string> = new Set(["a", "build"]);
const at = new Date(Date.UTC(2030, 1, 28, 23, 59));

export const smallLanguages: Fuzzer = {
  parser: "small languages",
  rules: [
    rule("any text is a condition, or refused with its place", {
      input: hostileText(["steps.a.outputs.x == 'y' && !(steps.build.status == 'ok')", "always() || 1 < 2"]),
      check(text) {
        const expression = readOr(() => parseExpression(text, earlier), isProblem);
        if (expression) assert.equal(typeof expression.is, "string");
      },
    }),
    rule("any text has references that are closed, or is refused with its place", {
      input: hostileText([
        `x \${steps.a.outputs.name} y`,
        `$\${steps.a`,
        `\${steps.build.objects["a"][0].metadata.name}`,
      ]),
      check(text) {
        const parts = readOr(() => readReferences(text, earlier), isProblem) ?? [];
        const texts = parts.filter((part) => typeof part === "string").join("");
        assert.ok(texts.length <= text.length);
      },
    }),
    rule("a path leads to an object's own members alone", {
      input: fc.tuple(hostileText(["status.conditions[0].type", 'a["__proto__"].b']), fc.object({ maxDepth: 3 })),
      check([text, value]) {
        const path = readOr(() => parseFieldPath(text), isProblem);
        if (path === undefined) return;
        assert.ok(path.length <= 64);
        const found = valueAt(value, path);
        assert.ok(typeof found !== "function" && found !== Object.prototype);
      },
    }),
    rule("any text has placeholders, or a problem, and no text of it is lost", {
      input: hostileText([`a \${param:name} b`, `$\${param:x}`, `\${param:n:text}`]),
      check(text) {
        const { parts, problem } = readPlaceholders(text);
        if (problem !== undefined) return;
        const written = parts.map((part) =>
          typeof part === "string"
            ? part.replaceAll(`\${param:`, () => `$\${param:`)
            : `\${param:${part.name}${part.isText ? ":text" : ""}}`,
        );
        assert.equal(written.join(""), text);
      },
    }),
    rule("any text is a schedule whose next time comes later, or refused by a code", {
      input: hostileText(["0 3 * * 1-5", "*/5 0-6,12 L * *", "0 0 30 2 *", "@daily", "59 23 29 FEB SUN#2"]),
      cases: 150,
      check(text) {
        const ticks = readOr(() => parseCron(text, "Europe/Berlin"));
        const next = ticks?.after(at);
        if (next) assert.ok(next > at);
      },
    }),
  ],
};
