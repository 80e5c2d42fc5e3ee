export function isCommandId(text: string): boolean {
  return /^cmd_[0-9a-z]{26}$/.test(text);
}
