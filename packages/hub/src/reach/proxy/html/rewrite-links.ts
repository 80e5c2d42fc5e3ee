// Puts a prefix before the links of a page that lead from the root. It reads the page as its bytes come and changes
// nothing else: not a byte is dropped, and at most two wait for the next chunk.
import { Tokenizer } from "htmlparser2";

export interface LinkRewriter {
  /** A part of the page, each byte a character (latin1), with the links that end in it rewritten. */
  write(part: string): string;
  end(): string;
}

export function createLinkRewriter(prefix: string): LinkRewriter {
  /** The newest text: all that hasn't been given out yet, and a tail before that for names that two chunks share. */
  let text = "";
  let textStart = 0;
  let given = 0;
  let tag = "";
  let isLink = false;
  /** Where the value of a link begins of which too little is known. */
  let undecided: number | undefined;
  let inserts: number[] = [];

  const tokenizer = new Tokenizer(
    { xmlMode: false, decodeEntities: false },
    {
      onopentagname(start, end) {
        tag = nameAt(start, end);
      },
      onattribname(start, end) {
        isLink = linkAttributes[tag]?.includes(nameAt(start, end)) === true;
      },
      onattribdata(start, end) {
        if (!isLink) return;
        undecided ??= start;
        if (end - undecided >= 2) decide(undecided, end);
      },
      onattribend(_quote, end) {
        if (undecided !== undefined) decide(undecided, end);
        isLink = false;
      },
      onattribentity: ignore,
      oncdata: ignore,
      onclosetag: ignore,
      oncomment: ignore,
      ondeclaration: ignore,
      onend: ignore,
      onopentagend: ignore,
      onprocessinginstruction: ignore,
      onselfclosingtag: ignore,
      ontext: ignore,
      ontextentity: ignore,
    },
  );

  return {
    write(part) {
      text += part;
      tokenizer.write(part);
      return giveOut(undecided ?? textStart + text.length);
    },
    end() {
      tokenizer.end();
      return giveOut(textStart + text.length);
    },
  };

  function nameAt(start: number, end: number): string {
    if (start < textStart || end - start > longestName) return "";
    return text.slice(start - textStart, end - textStart).toLowerCase();
  }

  function decide(start: number, end: number): void {
    undecided = undefined;
    isLink = false;
    const [first, second] = text.slice(start - textStart, Math.min(end, start + 2) - textStart);
    // Two slashes begin another host's name, and a backslash counts as one.
    if (first === "/" && second !== "/" && second !== "\\") inserts.push(start);
  }

  function giveOut(end: number): string {
    let out = "";
    for (const at of inserts) {
      out += text.slice(given - textStart, at - textStart) + prefix;
      given = at;
    }
    inserts = [];
    out += text.slice(given - textStart, end - textStart);
    given = end;
    const keptFrom = Math.max(textStart, given - longestName);
    text = text.slice(keptFrom - textStart);
    textStart = keptFrom;
    return out;
  }
}

function ignore(): void {}

/** By element; the same as the API server's own proxy rewrites. */
const linkAttributes: Readonly<Record<string, readonly string[]>> = {
  a: ["href"],
  applet: ["codebase"],
  area: ["href"],
  audio: ["src"],
  base: ["href"],
  blockquote: ["cite"],
  body: ["background"],
  button: ["formaction"],
  command: ["icon"],
  del: ["cite"],
  embed: ["src"],
  form: ["action"],
  frame: ["longdesc", "src"],
  head: ["profile"],
  html: ["manifest"],
  iframe: ["longdesc", "src"],
  img: ["longdesc", "src", "usemap"],
  input: ["src", "formaction", "usemap"],
  ins: ["cite"],
  link: ["href"],
  object: ["classid", "codebase", "data", "usemap"],
  q: ["cite"],
  script: ["src"],
  source: ["src"],
  video: ["poster", "src"],
};

/** Characters; no name of the table is longer. */
const longestName = 16;
