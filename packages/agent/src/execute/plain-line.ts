/** Without colours and whatever else steers a terminal: a log is read in many places. */
export function plainLine(text: string): string {
  return text.includes(begin) ? text.replace(sequences, "") : text;
}

const begin = "\u001b";
const sequences =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]*[0-~])/g;
