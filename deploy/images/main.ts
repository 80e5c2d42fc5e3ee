// npm run images
import { isFairleadError } from "@fairlead/kernel";
import { buildImages } from "./build-images.ts";
import { unpackImage } from "./oci/unpack.ts";
import { help, readInvocation } from "./options.ts";
import { updateLock } from "./update-lock.ts";

try {
  await run();
} catch (error) {
  if (!isFairleadError(error)) throw error;
  process.stderr.write(`${error.code}: ${error.message}\n${error.hint ?? ""}\n`);
  process.exitCode = 1;
}

async function run(): Promise<void> {
  const invocation = readInvocation(process.argv.slice(2));
  switch (invocation.kind) {
    case "help":
      return say(help);
    case "update-lock":
      await updateLock(invocation);
      return say("deploy/images/lock.json is up to date\n");
    case "build": {
      const built = await buildImages({ ...invocation.options, onProgress: (line) => say(`${line}\n`) });
      for (const { program, platforms, layoutDir } of built) {
        for (const { arch, compressedBytes } of platforms) {
          if (invocation.rootfs !== undefined) await unpackImage({ layoutDir, arch, targetDir: invocation.rootfs });
          say(`${program} ${arch}: ${(compressedBytes / 1e6).toFixed(1)} MB compressed\n`);
        }
      }
      return;
    }
  }
}

function say(text: string): void {
  process.stdout.write(text);
}
