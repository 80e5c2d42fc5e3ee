import { spawn } from "node:child_process";

/** Asks the desktop to show the page, and doesn't mind when there is none: the address was printed as well. */
export function openBrowser(url: string): void {
  const command = process.platform === "darwin" ? "open" : "xdg-open";
  try {
    const child = spawn(command, [url], { stdio: "ignore", detached: true });
    child.once("error", () => undefined);
    child.unref();
  } catch {
    // Same as above.
  }
}
