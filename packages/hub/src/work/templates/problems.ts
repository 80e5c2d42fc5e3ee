/** Something that is wrong, and where: `values.replicas`. */
export interface Problem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** All of them in one sentence, as far as somebody would read. */
export function formatProblems(problems: readonly Problem[]): string {
  const some = problems.slice(0, mostShown).map(({ path, message }) => {
    const place = path.map((part) => clip(String(part))).join(".");
    return place === "" ? message : `${place} ${message}`;
  });
  const others = problems.length - some.length;
  return some.join("; ") + (others > 0 ? `; and ${others} more` : "");
}

function clip(text: string): string {
  return text.length > mostLength ? `${text.slice(0, mostLength)}…` : text;
}

const mostShown = 20;
const mostLength = 64;
