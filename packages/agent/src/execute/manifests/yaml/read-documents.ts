// Text to plain values. The library only finds the structure: what a scalar means, which keys are the same, and how
// often an alias may be used is settled here, so that it is what Kubernetes' tools make of it.
import { Composer, type CST, type Document, Lexer, LineCounter, Parser, type YAMLError } from "yaml";
import { checkCharacters } from "./check-characters.ts";
import { type Dialect, toValue } from "./to-value.ts";
import { YamlProblem } from "./yaml-problem.ts";

export interface YamlDocument {
  /** From 1; empty ones count. */
  readonly number: number;
  /** Undefined for an empty one. */
  readonly value: unknown;
}

/** Throws a YamlProblem at the first thing that can't be read. */
export function readDocuments(text: string): readonly YamlDocument[] {
  checkCharacters(text);
  return readDialect(text, { of: "people" });
}

/** Characters aren't looked at. */
export function readDialect(text: string, dialect: Dialect): readonly YamlDocument[] {
  const lines = new LineCounter();
  const lineAt = (offset: number): number => lines.linePos(offset).line;
  return compose(withoutMarks(text), lines).map((document, index) => {
    const number = index + 1;
    const [error] = document.errors;
    if (error) throw new YamlProblem({ document: number, line: lineAt(error.pos[0]), what: explain(error) });
    const value = toValue({ node: document.contents, document: number, lineAt, dialect });
    return { number, value: value ?? undefined };
  });
}

function compose(text: string, lines: LineCounter): readonly Document.Parsed[] {
  const composer = new Composer({
    // All scalars are texts, and no tag is known.
    schema: "failsafe",
    version: "1.1",
    resolveKnownTags: false,
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: "silent",
  });
  try {
    return [...composer.compose(parseBounded(text, lines))];
  } catch (error) {
    // The library calls itself for each level.
    if (error instanceof RangeError) throw new YamlProblem({ line: 1, what: tooDeep });
    throw error;
  }
}

/** A part costs the same time whatever its size, and 3 MiB can hold millions: the agent has other things to do. */
function* parseBounded(text: string, lines: LineCounter): Generator<CST.Token, void> {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  let parts = 0;
  for (const part of new Lexer().lex(text)) {
    if (++parts > maxParts) throw new YamlProblem({ line: lines.lineStarts.length, what: tooManyParts });
    yield* parser.next(part);
  }
  yield* parser.end();
}

/** Files that were joined have byte order marks in the middle. */
function withoutMarks(text: string): string {
  return text.replace(/^\uFEFF/, "").replace(/^(---[^\n]*\n)\uFEFF/gm, "$1");
}

/** In our own words: the library's repeat what stands there. */
function explain({ code }: YAMLError): string {
  return explanations[code] ?? `it isn't YAML (${code})`;
}

const indentation = "the indentation doesn't fit what is above it";
const loneKey = "a key without its value, or a text that goes over several lines without quotes";
const badAlias = "the alias can't be used like this";
const tooDeep = "it is nested too deeply";
const explanations: Readonly<Partial<Record<YAMLError["code"], string>>> = {
  BAD_INDENT: indentation,
  BLOCK_IN_FLOW: indentation,
  BLOCK_AS_IMPLICIT_KEY: indentation,
  TAB_AS_INDENT: "it is indented by a tab; use spaces",
  MULTILINE_IMPLICIT_KEY: loneKey,
  KEY_OVER_1024_CHARS: loneKey,
  MISSING_CHAR: "a closing quote or bracket, a colon or a comma is missing",
  BAD_ALIAS: badAlias,
  ALIAS_PROPS: badAlias,
  BAD_DQ_ESCAPE: "in double quotes there is an escape that YAML doesn't have; use single quotes",
  RESOURCE_EXHAUSTION: tooDeep,
};
/** Some 4,700 Deployments of usual size have as many. */
const maxParts = 1_000_000;
const tooManyParts = "there are too many keys, values and comments; split it into several sets";
