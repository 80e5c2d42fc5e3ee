// Passwords in URLs of databases. Text that isn't a URL is judged all the same: a mistyped URL has a password, too.

export function hasPassword(url: string): boolean {
  return /^[^:]*:\/\/[^@]*:[^@]*@/.test(url) || /[?&][^=&]*password[^=&]*=/i.test(url);
}

export function withoutPassword(url: string): string {
  const [, start = "", user = "", rest = ""] = /^([^:]*:\/\/)(?:([^:@]*)(?::.*)?@)?(.*)$/s.exec(url) ?? [];
  const shown = user === "" ? rest : `${user}@${rest}`;
  return `${start}${shown.replace(/([?&][^=&]*password[^=&]*=)[^&]*/gi, "$1")}`;
}
