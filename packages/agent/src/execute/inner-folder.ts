/** A folder of a repository as people write it, such as `./infra/`, in one way: `infra`, and `.` for the root. */
export function plainFolder(text: string): string {
  return text.replace(/^(?:\.\/+)+/, "").replace(/\/+$/, "") || ".";
}
