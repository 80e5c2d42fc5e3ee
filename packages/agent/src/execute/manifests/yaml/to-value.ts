import { isAlias, isMap, isScalar, isSeq, type Node, type Pair, type Scalar, type YAMLMap } from "yaml";
import { keyText } from "./key-text.ts";
import { type PlainScalar, readPlainScalar } from "./plain-scalar.ts";
import { YamlProblem } from "./yaml-problem.ts";

interface Source {
  readonly node: unknown;
  readonly document: number;
  readonly lineAt: (offset: number) => number;
  readonly dialect: Dialect;
}

/**
 * Where people and Helm differ. People are told of what is probably a mistake. Helm's own output is read as Helm reads
 * it: the last of equal keys counts, integers have any size, and tags of other programs are passed over.
 */
export type Dialect =
  | { readonly of: "people" }
  | { readonly of: "helm"; readonly toInteger: (digits: string) => unknown };

/** The value of one document. Bounded in depth and in what aliases add. */
export function toValue(source: Source): unknown {
  return new Conversion(source).convert(source.node, 0);
}

class Conversion {
  readonly #source: Source;
  readonly #anchors = new Map<string, Node>();
  /** Nodes that are being converted: an alias to one of them never ends. */
  readonly #open = new Set<Node>();
  #aliasDepth = 0;
  #aliased = 0;

  constructor(source: Source) {
    this.#source = source;
  }

  get #isHelm(): boolean {
    return this.#source.dialect.of === "helm";
  }

  convert(node: unknown, depth: number): unknown {
    if (node === null || node === undefined) return null;
    const known = node as Node;
    if (depth > maxDepth) throw this.#problem(known, "it is nested too deeply");
    if (isAlias(known)) return this.#follow(known, (target) => this.convert(target, depth + 1));
    if ("anchor" in known && typeof known.anchor === "string") this.#anchors.set(known.anchor, known);
    if (isScalar(known)) return this.#scalar(known);
    this.#count(known, 1);
    this.#open.add(known);
    const value = this.#collection(known, depth);
    this.#open.delete(known);
    return value;
  }

  #collection(node: Node, depth: number): unknown {
    if (isMap(node) && this.#isTag(node, "map")) return Object.fromEntries(this.#members(node, depth));
    if (isSeq(node) && this.#isTag(node, "seq")) return node.items.map((item) => this.convert(item, depth + 1));
    throw this.#problem(node, "it has a tag that JSON has nothing for");
  }

  #members(map: YAMLMap, depth: number): Map<string, unknown> {
    const members = new Map<string, unknown>();
    const own = new Set<string>();
    for (const pair of map.items as Pair<Node | null, unknown>[]) {
      if (isMergeKey(pair.key)) {
        // Go takes what is merged for newer than what stands above it.
        for (const [name, value] of this.#merged(pair, depth)) members.set(name, value);
        continue;
      }
      const name = this.#key(pair.key, map);
      if (own.has(name) && !this.#isHelm)
        throw this.#problem(pair.key ?? map, `the key ${quote(name)} is there twice; remove one`);
      own.add(name);
      members.set(name, this.convert(pair.value, depth + 1));
    }
    return members;
  }

  #key(key: Node | null, map: YAMLMap): string {
    if (isAlias(key)) return this.#follow(key, (target) => this.#key(target, map));
    if (!isScalar(key)) throw this.#problem(key ?? map, "a key has to be a text");
    if (key.anchor !== undefined) this.#anchors.set(key.anchor, key);
    const scalar = this.#read(key);
    const text = scalar.type === "refused" && !this.#isHelm ? undefined : keyText(scalar);
    if (text === undefined) throw this.#problem(key, "the key is no text; write it in quotes");
    return text;
  }

  /** Merges mappings; the earlier of several count more. */
  #merged({ key, value }: Pair<Node | null, unknown>, depth: number): Iterable<[string, unknown]> {
    const sources = isSeq(value) ? [...value.items].reverse() : [value];
    const merged = new Map<string, unknown>();
    for (const source of sources) {
      const target = isAlias(source) ? this.#follow(source, (found) => found) : source;
      if (!isMap(target))
        throw this.#problem(key as Node, "only a mapping, or a list of mappings, can be merged by <<");
      const members = this.convert(source, depth + 1) as Record<string, unknown>;
      for (const [name, member] of Object.entries(members)) merged.set(name, member);
    }
    return merged;
  }

  #follow<T>(alias: Node & { readonly source: string }, use: (target: Node) => T): T {
    const target = this.#anchors.get(alias.source);
    if (!target) throw this.#problem(alias, "the alias names an anchor that isn't above it in this document");
    if (this.#open.has(target)) throw this.#problem(alias, "the alias is inside what it names");
    this.#aliasDepth++;
    const value = use(target);
    this.#aliasDepth--;
    return value;
  }

  #scalar(node: Scalar): unknown {
    const scalar = this.#read(node);
    if (scalar.type === "refused") return this.#unusual(node, scalar);
    if (scalar.type === "null") return null;
    this.#count(node, scalar.type === "text" ? scalar.value.length + 1 : 1);
    return scalar.value;
  }

  #unusual(node: Scalar, { why, exact }: Extract<PlainScalar, { readonly type: "refused" }>): unknown {
    const { dialect } = this.#source;
    if (dialect.of === "people" || exact === undefined) throw this.#problem(node, why);
    this.#count(node, exact.length);
    return dialect.toInteger(exact);
  }

  #read(node: Scalar): PlainScalar {
    const text = String(node.value ?? "");
    const tag = node.tag?.startsWith(standard) ? node.tag.slice(standard.length) : node.tag;
    if (tag === undefined || tag === "") {
      return node.type === "PLAIN" ? readPlainScalar(node.source ?? text) : { type: "text", value: text };
    }
    if (tag === "str" || tag === "!" || (this.#isHelm && !known.has(tag))) return { type: "text", value: text };
    if (tag === "binary" && this.#isHelm) return { type: "text", value: Buffer.from(text, "base64").toString("utf8") };
    const scalar = readPlainScalar(text);
    if (scalar.type === "refused" || scalar.type === tag) return scalar;
    if (tag === "float" && scalar.type === "int") return { type: "float", value: scalar.value };
    throw this.#problem(node, "the value doesn't fit its tag, or JSON has nothing for the tag");
  }

  /** Bounds what aliases repeat: a few lines can name more than a machine holds. */
  #count(node: Node, size: number): void {
    if (this.#aliasDepth === 0) return;
    this.#aliased += size;
    if (this.#aliased > maxAliased) throw this.#problem(node, "aliases repeat too much; write it out");
  }

  #isTag(node: Node & { readonly tag?: string }, name: string): boolean {
    return this.#isHelm || node.tag === undefined || node.tag === "" || node.tag === standard + name;
  }

  #problem(node: Node, what: string): YamlProblem {
    const { document, lineAt } = this.#source;
    return new YamlProblem({ document, line: lineAt(node.range?.[0] ?? 0), what });
  }
}

function isMergeKey(key: Node | null): boolean {
  return isScalar(key) && key.type === "PLAIN" && key.value === "<<";
}

function quote(name: string): string {
  return JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name);
}

/** Go's library reads scalars of these by their tags, and any other one as text. */
const known: ReadonlySet<string> = new Set(["null", "bool", "str", "int", "float", "binary"]);
const standard = "tag:yaml.org,2002:";
const maxDepth = 200;
const maxAliased = 2 * 1024 * 1024;
