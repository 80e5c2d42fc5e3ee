import { cliErrors, usage } from "../errors.ts";
import { readText } from "../files/index.ts";
import { ask, canAsk, readAll, type Terminal } from "../terminal.ts";

/** Never from the command line: other users of the machine could read it there. */
export async function readToken(tokenFile: string | undefined, terminal: Terminal): Promise<string> {
  if (tokenFile !== undefined && tokenFile !== "-") return checkToken(await readText(tokenFile), `in ${tokenFile}`);
  if (tokenFile === undefined && terminal.environment.token) return checkToken(terminal.environment.token, "");
  if (canAsk(terminal)) return checkToken(await ask(terminal, "Token: ", { hidden: true }), "given");
  return checkToken(await readAll(terminal.stdin), "on standard input");
}

function checkToken(text: string, where: string): string {
  const token = text.trim();
  if (token === "") throw cliErrors.CLI_TOKEN_MISSING({ where });
  // It becomes part of a header; the message must not repeat it.
  if (!/^[\x21-\x7e]+$/.test(token))
    throw usage("The token contains invalid characters.", "Copy it again, without other text.");
  return token;
}
