/**
 * True for header lines by which a request says whom it is from: `Impersonate-*` and `X-Remote-*`. Prefixes are compared,
 * as new members of these families appear (`Impersonate-Uid` did). Some readers take the underscore for the dash.
 */
export function namesCaller(lowerCaseName: string): boolean {
  return callerName.test(lowerCaseName);
}

const callerName = /^(?:impersonate[-_]|x[-_]remote[-_])/;
