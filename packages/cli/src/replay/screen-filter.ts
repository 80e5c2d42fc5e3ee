// Shows the output of a recorded program as it was, but no further than the screen: no clipboard, no window title
// games, no question that the terminal would answer by "typing" into the shell that replays. So only what is known to
// paint is let through. Escape sequences may lie across events, so their state is kept.

export interface ScreenFilter {
  take(text: string): string;
}

export function createScreenFilter(): ScreenFilter {
  let state: State = { kind: "text" };
  return {
    take(text) {
      let shown = "";
      for (const character of text) {
        const step = next(state, character);
        state = step.state;
        shown += step.shown;
      }
      return shown;
    },
  };
}

type State =
  | { readonly kind: "text" }
  /** After ESC, perhaps with intermediate characters. */
  | { readonly kind: "escape"; readonly seen: string }
  | { readonly kind: "csi"; readonly seen: string }
  /** In a string that something ends; `seen` is undefined where it is dropped whatever it says. */
  | { readonly kind: "string"; readonly seen: string | undefined; readonly isOsc: boolean; readonly isEnding: boolean };

interface Step {
  readonly state: State;
  readonly shown: string;
}

const text: State = { kind: "text" };
const esc = "\u001b";

function next(state: State, character: string): Step {
  switch (state.kind) {
    case "text":
      return inText(character);
    case "escape":
      return inEscape(state.seen, character);
    case "csi":
      return inCsi(state.seen, character);
    case "string":
      return inString(state, character);
    default:
      return state satisfies never;
  }
}

function inText(character: string): Step {
  if (character === esc) return { state: { kind: "escape", seen: "" }, shown: "" };
  // Bell, backspace, tab, line feeds, carriage return, shift out and in. Not ENQ, which is answered.
  if (character < " ") return { state: text, shown: character >= "\u0007" && character <= "\u000f" ? character : "" };
  // DEL, and the eight-bit twins of the sequences that begin with ESC.
  const isControl = character >= "\u007f" && character <= "\u009f";
  return { state: text, shown: isControl ? "" : character };
}

function inEscape(seen: string, character: string): Step {
  if (character === esc) return { state: { kind: "escape", seen: "" }, shown: "" };
  if (seen === "" && character === "[") return { state: { kind: "csi", seen: "" }, shown: "" };
  if (seen === "" && character === "]")
    return { state: { kind: "string", seen: "", isOsc: true, isEnding: false }, shown: "" };
  if (seen === "" && /[PX^_]/.test(character)) {
    return { state: { kind: "string", seen: undefined, isOsc: false, isEnding: false }, shown: "" };
  }
  if (/[ -/]/.test(character)) return { state: { kind: "escape", seen: (seen + character).slice(0, 4) }, shown: "" };
  const sequence = seen + character;
  return { state: text, shown: isHarmlessEscape(sequence) ? esc + sequence : "" };
}

/** Cursor kept and restored, index, tabs, keypad, full reset, character sets, alignment. Not `Z`, which is answered. */
function isHarmlessEscape(sequence: string): boolean {
  return /^(?:[78DEHMNOc=>]|[()*+][0-9A-Za-z<=>]|#[3-68])$/.test(sequence);
}

function inCsi(seen: string, character: string): Step {
  if (character === esc) return { state: { kind: "escape", seen: "" }, shown: "" };
  // Control characters act as if they stood before the sequence.
  if (character < " ") return { state: { kind: "csi", seen }, shown: inText(character).shown };
  if (/[ -?]/.test(character) && seen.length < longestCsi) {
    return { state: { kind: "csi", seen: seen + character }, shown: "" };
  }
  return { state: text, shown: isHarmlessCsi(seen, character) ? `${esc}[${seen}${character}` : "" };
}

const longestCsi = 256;

function isHarmlessCsi(seen: string, final: string): boolean {
  // Insert mode alone: others of its kind lock the keyboard.
  if (final === "h" || final === "l") return seen === "4" || arePaintingModes(seen);
  if (/^[0-9;:]*$/.test(seen)) return "@ABCDEFGHIJKLMPSTXZ`abdefgmrsu".includes(final);
  if (/^\?[0-9;]*$/.test(seen)) return final === "J" || final === "K";
  // The cursor's shape, and the soft reset.
  return (/^[0-9]* $/.test(seen) && final === "q") || (seen === "!" && final === "p");
}

function arePaintingModes(seen: string): boolean {
  return (
    seen.startsWith("?") &&
    seen
      .slice(1)
      .split(";")
      .every((mode) => paintingModes.has(mode))
  );
}

/** Modes of the screen. The modes of the mouse, the focus and pasting would make the terminal type on its own. */
const paintingModes: ReadonlySet<string> = new Set(
  "1 5 6 7 12 25 45 47 66 69 1045 1047 1048 1049 2026 2027".split(" "),
);

function inString(state: State & { readonly kind: "string" }, character: string): Step {
  const { seen, isOsc, isEnding } = state;
  if (isEnding) {
    if (character === "\\") return { state: text, shown: showString(seen) };
    return inEscape("", character);
  }
  if (character === esc) return { state: { ...state, isEnding: true }, shown: "" };
  // BEL ends an OSC; CAN and SUB end anything.
  if (character === "\u0007" && isOsc) return { state: text, shown: showString(seen) };
  if (character === "\u0018" || character === "\u001a") return { state: text, shown: "" };
  const kept = seen === undefined || seen.length >= longestString ? undefined : seen + character;
  return { state: { ...state, seen: kept }, shown: "" };
}

const longestString = 4_096;

/** Links are part of the screen. Titles, colours, the clipboard, notifications and files are not. */
function showString(seen: string | undefined): string {
  return seen !== undefined && /^8;[^;\p{Cc}]*;[^\p{Cc}]*$/u.test(seen) ? `${esc}]${seen}${esc}\\` : "";
}
