/** For messages and logs, in which a line break of a path would begin another line. */
export function showPath(path: string): string {
  return /^[^\p{C}\p{Zl}\p{Zp}]*$/u.test(path) ? path : JSON.stringify(path);
}
