// `npm run release -- --dry-run`
import { isFairleadError } from "@fairlead/kernel";
import { releaseErrors } from "./errors.ts";
import { makeRelease } from "./make-release.ts";
import { help, readInvocation } from "./options.ts";

try {
  await main();
} catch (error) {
  if (!isFairleadError(error)) throw error;
  console.error(`release: ${error.message} (${error.code})\n  ${error.hint}`);
  process.exitCode = 1;
}

async function main(): Promise<void> {
  const invocation = readInvocation(process.argv.slice(2));
  switch (invocation.kind) {
    case "help":
      console.log(help);
      return;
    case "publish":
      throw releaseErrors.RELEASE_NOT_PUBLISHED();
    case "make": {
      const onProgress = (line: string) => console.error(`release: ${line}`);
      const { version, outDir } = await makeRelease({ ...invocation, onProgress });
      console.log(`Fairlead ${version} is in ${outDir}. Nothing was published.`);
    }
  }
}
